import { useIntersection } from '@mantine/hooks'
import { type ReactNode, useEffect, useState } from 'react'

/** Distance from the visible part of the page at which content is rendered. */
const NEAR = '200px'

/** Reserves space for expensive content, and renders it when it is about to become visible. */
export function OnceSeen({ height, children }: { readonly height: number; readonly children: ReactNode }) {
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: NEAR })
  const [seen, setSeen] = useState(false)
  const near = entry?.isIntersecting === true
  useEffect(() => {
    if (near) setSeen(true)
  }, [near])
  return (
    <div ref={ref} style={seen ? undefined : { minHeight: height }}>
      {seen && children}
    </div>
  )
}
