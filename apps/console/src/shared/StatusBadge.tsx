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
import { STATE_NAMES, type WebhookState } from '../model/webhook.ts'
import { useWorkspace } from '../workspace/workspace.tsx'

const SIZE = 13

const DELIVERY = {
  pending: {
    color: 'yellow',
    icon: <IconClockHour4 size={SIZE} />,
    means: 'Not delivered yet. It is retried until the receiver accepts it or no attempts are left.',
  },
  delivered: {
    color: 'green',
    icon: <IconCircleCheck size={SIZE} />,
    means: 'The receiver responded with a 2xx status code.',
  },
  failed: {
    color: 'red',
    icon: <IconCircleX size={SIZE} />,
    means: 'All attempts failed, or the receiver responded with 410 Gone. There are no further retries.',
  },
  dead: {
    color: 'red',
    icon: <IconSkull size={SIZE} />,
    means: 'All attempts failed. There are no further retries.',
  },
  canceled: {
    color: 'gray',
    icon: <IconBan size={SIZE} />,
    means: 'Canceled: the webhook was disabled or deleted before delivery, or the delivery expired.',
  },
} as const satisfies Record<DeliveryStatus, object>

/** The status of a delivery by color, icon and word, since users may not perceive all three. */
export function DeliveryBadge(props: {
  readonly status: DeliveryStatus
  /** Omits the tooltip, which is expensive in long lists. */
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
      {STATE_NAMES[kind]}
    </Badge>
  )
}
