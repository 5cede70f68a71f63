import { closed, pathId } from '../shared/schemas.ts'

export const workspaceParams = closed({ ws: pathId('The id or slug of the workspace.') })
export const webhookParams = closed({ ...workspaceParams.properties, id: pathId('The webhook.') })
export const eventTypeParams = closed({
  ...workspaceParams.properties,
  type: pathId('The name of an event type.'),
})
