import type { ConsumersApi } from '../../../api/consumers.ts'
import { type ConsumerCommands, consumerCommands } from '../../../model/consumerCommands.ts'
import { useWorkspace } from '../../../workspace/workspace.tsx'

/** Commands for a consumer of this workspace. @param name of the consumer */
export function useCommands({ path }: ConsumersApi, name: string): ConsumerCommands {
  const { id } = useWorkspace()
  const { origin } = window.location
  // Paths of some services do not contain the workspace.
  return consumerCommands({ origin, path, workspace: path.includes(id) ? id : null }, name)
}
