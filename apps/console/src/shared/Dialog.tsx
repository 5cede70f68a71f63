import type { ModalProps } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'

const LoadedDialog = lazy(() => import('./LoadedDialog.tsx'))

/** A dialog whose program is loaded when it first opens. */
export function Dialog(props: ModalProps) {
  // Once loaded it stays, or it could not give the focus back.
  const [ever, setEver] = useState(props.opened)
  if (props.opened && !ever) setEver(true)
  if (!ever) return null
  return (
    <Suspense>
      <LoadedDialog {...props} />
    </Suspense>
  )
}
