import { lazy, Suspense, useSyncExternalStore } from 'react'
import { messagesWanted, onMessagesWanted } from '../shared/notify.ts'

const MessageRoom = lazy(() => import('./MessageRoom.tsx'))

/** Container for toasts. */
export function Messages() {
  const wanted = useSyncExternalStore(onMessagesWanted, messagesWanted)
  if (!wanted) return null
  return (
    <Suspense>
      <MessageRoom />
    </Suspense>
  )
}
