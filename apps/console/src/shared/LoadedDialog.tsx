import { Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Loading } from './states.tsx'

/** Opens after it is mounted, since only then does the library return the focus to its former element. */
export default function LoadedDialog({ opened, children, ...props }: ModalProps) {
  const [shown, setShown] = useState(false)
  useEffect(() => setShown(opened), [opened])
  return (
    <Modal {...props} opened={shown}>
      <Suspense fallback={<Loading rows={2} />}>
        <Content>{children}</Content>
      </Suspense>
    </Modal>
  )
}

/** Content that may load after the dialog opened. The library focuses only what is there when a dialog opens. */
function Content({ children }: { readonly children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // After the library has stored the element that had the focus before.
    const timer = setTimeout(() => {
      ref.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true })
    })
    return () => clearTimeout(timer)
  }, [])
  return <div ref={ref}>{children}</div>
}
