import type { ModalProps } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'

const LoadedDialog = lazy(() => import('./LoadedDialog.tsx'))

/** A dialog whose code is loaded when it first opens. */
export function Dialog(props: ModalProps) {
  // It stays mounted once loaded, so that it can return the focus.
  const [ever, setEver] = useState(props.opened)
  if (props.opened && !ever) setEver(true)
  if (!ever) return null
  return (
    <Suspense>
      <LoadedDialog {...props} />
    </Suspense>
  )
}
