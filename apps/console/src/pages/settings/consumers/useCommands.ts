import type { ConsumersApi } from '../../../api/consumers.ts'
import { type ConsumerCommands, consumerCommands } from '../../../model/consumerCommands.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** The commands of a receiver, for this service and workspace. @param name of the consumer */
export function useCommands({ path }: ConsumersApi, name: string): ConsumerCommands {
  const { id } = useWorkspace()
  const { origin } = window.location
  // Paths of some services name no workspace.
  return consumerCommands({ origin, path, workspace: path.includes(id) ? id : null }, name)
}
