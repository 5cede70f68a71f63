import { Anchor, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleX } from '@tabler/icons-react'
import { counted } from '../../../../model/numbers.ts'
import type { PlacedRemark } from '../../../../model/profile/places.ts'
import { capitalized } from '../../../../model/words.ts'
import { Failure } from '../../../../shared/states.tsx'
import { Untrusted } from '../../../../shared/untrusted/Untrusted.tsx'
import type { ProfileCheck } from './useProfileCheck.ts'

/** Errors and warnings in a profile, with links to their lines. */
export function RemarkList(props: {
  readonly check: ProfileCheck
  readonly onChoose: (remark: PlacedRemark) => void
}) {
  const { check, onChoose } = props
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} role="status">
        {summary(check)}
      </Text>
      {check.failure !== null && <Failure error={check.failure} />}
      {check.remarks.length > 0 && (
        <ul className="ph-entries">
          {check.remarks.map((remark) => (
            <li key={`${remark.pointer} ${remark.message}`} className="ph-entry">
              <Row remark={remark} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}

/** Keeps the last result during a check, since screen readers would otherwise announce each check twice. */
function summary({ errors, warnings, failure, checking, request }: ProfileCheck): string {
  if (failure !== null) return 'The profile could not be checked'
  if (errors === 0 && warnings === 0 && checking && request === null) return 'Checking…'
  const found = [
    errors === 0 ? 'No errors' : counted(errors, 'error'),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
  ]
  return found.join(', ')
}

function Row(props: { readonly remark: PlacedRemark; readonly onChoose: (remark: PlacedRemark) => void }) {
  const { remark, onChoose } = props
  const { kind, line, pointer, message } = remark
  const Icon = kind === 'error' ? IconCircleX : IconAlertTriangle
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start" py={6}>
      <Icon
        size={18}
        color={kind === 'error' ? 'var(--ph-bad)' : 'var(--ph-wait)'}
        style={{ flex: 'none', marginTop: 1 }}
        aria-hidden
      />
      <Text size="sm" component="div" miw={0}>
        <Anchor component="button" type="button" inherit onClick={() => onChoose(remark)}>
          {capitalized(kind)} in line {line}
        </Anchor>{' '}
        {pointer !== '' && (
          <>
            <Untrusted mono>{pointer}</Untrusted>{' '}
          </>
        )}
        <Untrusted>{message}</Untrusted>
      </Text>
    </Group>
  )
}
