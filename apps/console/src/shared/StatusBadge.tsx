import { Badge, Tooltip } from '@mantine/core'
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleX,
  IconClockHour4,
  IconPlayerPause,
  IconPower,
  IconSkull,
} from '@tabler/icons-react'
import type { ReactElement } from 'react'
import type { DeliveryStatus } from '../model/delivery.ts'
import type { WebhookState } from '../model/webhook.ts'
import { useWorkspace } from '../workspace/workspace.tsx'

const SIZE = 13

const DELIVERY = {
  pending: {
    color: 'yellow',
    icon: <IconClockHour4 size={SIZE} />,
    means: 'Not there yet: it is sent again until the receiver takes it or its attempts are used up.',
  },
  delivered: {
    color: 'green',
    icon: <IconCircleCheck size={SIZE} />,
    means: 'The receiver answered with a 2xx status.',
  },
  failed: {
    color: 'red',
    icon: <IconCircleX size={SIZE} />,
    means: 'Given up: all of its attempts failed, or the receiver said that it is gone.',
  },
  dead: {
    color: 'red',
    icon: <IconSkull size={SIZE} />,
    means: 'Given up: all of its attempts failed.',
  },
  canceled: {
    color: 'gray',
    icon: <IconBan size={SIZE} />,
    means: 'Canceled: the webhook was disabled or deleted before delivery, or the delivery expired.',
  },
} as const satisfies Record<DeliveryStatus, object>

/** The state of a delivery by color, icon and word, since not everybody sees all three. */
export function DeliveryBadge(props: {
  readonly status: DeliveryStatus
  /** Without the tooltip that explains it: in long lists, where each would cost. */
  readonly plain?: boolean
}) {
  const { status, plain = false } = props
  const { color, icon } = DELIVERY[status]
  const badge = (
    <Badge color={color} leftSection={icon} tt="none" style={{ flexShrink: 0 }}>
      {status}
    </Badge>
  )
  return plain ? badge : <Explained status={status}>{badge}</Explained>
}

function Explained(props: { readonly status: DeliveryStatus; readonly children: ReactElement }) {
  const { resend } = useWorkspace().service.features
  const replayable = props.status === 'dead' && resend?.from.includes('dead') === true
  const means = `${DELIVERY[props.status].means}${replayable ? ` It can be ${PAST[resend.operation]}.` : ''}`
  return <Tooltip label={means}>{props.children}</Tooltip>
}

const PAST = { redeliver: 'redelivered', replay: 'replayed' } as const

const WEBHOOK = {
  on: { color: 'green', icon: <IconCircleCheck size={SIZE} /> },
  failing: { color: 'red', icon: <IconAlertTriangle size={SIZE} /> },
  off: { color: 'red', icon: <IconPower size={SIZE} /> },
  paused: { color: 'yellow', icon: <IconPlayerPause size={SIZE} /> },
} as const satisfies Record<WebhookState['kind'], object>

export function WebhookBadge({ kind }: { readonly kind: WebhookState['kind'] }) {
  const { color, icon } = WEBHOOK[kind]
  return (
    <Badge color={color} leftSection={icon} tt="none" style={{ flexShrink: 0 }}>
      {kind}
    </Badge>
  )
}
