import type { ExampleInput } from '../../core/dialect.ts'
import { people } from './catalog/world.ts'
import { contentEnvelope } from './envelope.ts'

/** Composed as a real one is, so that a mapping made from it finds the same members later. */
export function contentExample({ type, workspace, occurredAt }: ExampleInput): string {
  const links = {
    app: `https://app.content.example/${workspace.slug}`,
    api: `https://api.content.example/v1/workspaces/${workspace.slug}`,
  }
  return contentEnvelope(
    {
      type: type.type,
      data: type.example,
      actorId: people.owner,
      // What the service itself sends links to nothing.
      links: type.subscribable ? links : null,
      occurredAt,
    },
    workspace,
  )
}
