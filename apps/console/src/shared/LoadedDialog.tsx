import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'

/** Opens after it is mounted: only then does the library give the focus back to what had it before. */
export default function LoadedDialog({ opened, ...props }: ModalProps) {
  const [shown, setShown] = useState(false)
  useEffect(() => setShown(opened), [opened])
  return <Modal {...props} opened={shown} />
}
