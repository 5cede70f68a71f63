import type { NotificationData } from '@mantine/notifications'
import type { ReactNode } from 'react'
import { errorText } from '../api/problem.ts'
import { plainText } from './untrusted/pieces.ts'

/** What shows messages is loaded with the first of them: most visits have none. */
let wanted = false
const listeners = new Set<() => void>()

/** For whoever shows messages: whether there was one. */
export const messagesWanted = (): boolean => wanted

/** @returns stops it */
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

/** @param message what others wrote stands in it as everywhere */
export function showDone(message: ReactNode): void {
  void show({ message, color: 'green', autoClose: 4_000, role: 'status' })
}

/** @param title what did not happen */
export function showFailure(title: string, error: unknown): void {
  void show({ title, message: plainText(errorText(error)), color: 'red', autoClose: 10_000, role: 'alert' })
}
