import { Modal, type ModalProps } from '@mantine/core'
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Loading } from './states.tsx'

/** Opens after it is mounted: only then does the library give the focus back to what had it before. */
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

/** What a dialog shows. The library focuses only what is there when the dialog opens; this may be loaded later. */
function Content({ children }: { readonly children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Later than the library notes what had the focus before the dialog opened.
    const timer = setTimeout(() => {
      ref.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true })
    })
    return () => clearTimeout(timer)
  }, [])
  return <div ref={ref}>{children}</div>
}
