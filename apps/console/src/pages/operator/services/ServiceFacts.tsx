import { Group } from '@mantine/core'
import type { ServiceVersion } from '../../../api/services.ts'
import { CopyIcon } from '../../../shared/Copy.tsx'
import { Fact, Facts } from '../../../shared/Facts.tsx'
import { Time } from '../../../shared/Time.tsx'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'
import { typesText, versionText } from './serviceWords.ts'

export function ServiceFacts({ service }: Pick<ServiceVersion, 'service'>) {
  const { name, unsigned, created_at, updated_at } = service
  return (
    <Facts>
      <Fact name="Name">
        <Group gap={4}>
          <Untrusted mono>{name}</Untrusted>
          <CopyIcon value={name} what="name" />
        </Group>
      </Fact>
      <Fact name="Version">{versionText(service)}</Fact>
      <Fact name="Publishes">{typesText(service)}</Fact>
      <Fact name="Requests">{unsigned ? 'not signed' : 'signed'}</Fact>
      {created_at !== null && (
        <Fact name="Added">
          <Time at={created_at} />
        </Fact>
      )}
      {updated_at !== null && updated_at !== created_at && (
        <Fact name="Updated">
          <Time at={updated_at} />
        </Fact>
      )}
    </Facts>
  )
}
