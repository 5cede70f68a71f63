import { Button, Group, Text } from '@mantine/core'
import type { ServiceVersion } from '../../../../api/services.ts'
import { profileText } from '../../../../model/profile/profileText.ts'
import { ChangedByOthers } from '../../../../shared/ChangedByOthers.tsx'
import { CodeBlock } from '../../../../shared/CodeBlock.tsx'
import { Time } from '../../../../shared/Time.tsx'

/** Shows a version that someone else saved during the edit, and offers a choice. */
export function ChangedMeanwhile(props: {
  readonly theirs: ServiceVersion
  readonly onReload: () => void
  readonly onOverwrite: () => void
}) {
  const { service } = props.theirs
  return (
    <ChangedByOthers title="Someone else changed this service">
      <Text size="sm" component="div">
        They saved version {service.version}
        {service.updated_at !== null && (
          <>
            {' '}
            <Time at={service.updated_at} as="relative" />
          </>
        )}
        . Your changes are not saved yet.
      </Text>
      <CodeBlock
        text={profileText(service.profile)}
        what="their profile as JSON"
        wrap={false}
        maxHeight={200}
      />
      <Group>
        <Button size="sm" variant="default" onClick={props.onReload}>
          Discard my changes
        </Button>
        <Button size="sm" color="red" onClick={props.onOverwrite}>
          Overwrite with my changes
        </Button>
      </Group>
    </ChangedByOthers>
  )
}
