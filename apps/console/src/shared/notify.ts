import type { NotificationData } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { errorText } from '../api/problem.ts'
import { plainText } from './untrusted/pieces.ts'

/** The component for messages is loaded with the first message, since most visits have none. */
let wanted = false
const listeners = new Set<() => void>()

/** Whether there was a message. */
export const messagesWanted = (): boolean => wanted

/** @returns unsubscribes */
export function onMessagesWanted(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function show(message: NotificationData): Promise<void> {
  wanted = true
  for (const listener of listeners) listener()
  const { notifications } = await import('@mantine/notifications')
  notifications.show(message)
}

/** @param message wrap untrusted text in `Untrusted` */
export function showDone(message: ReactNode): void {
  void show({ message, color: 'green', autoClose: 4_000, role: 'status' })
}

/** @param title the action that failed */
export function showFailure(title: string, error: unknown): void {
  void show({ title, message: plainText(errorText(error)), color: 'red', autoClose: 10_000, role: 'alert' })
}
