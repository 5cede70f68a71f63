import { useIntersection } from '@mantine/hooks'
import { type ReactNode, useEffect, useState } from 'react'

/** Near enough to be seen soon. */
const NEAR = '200px'

/** Keeps the place of what is costly to draw, and draws it once it comes near the part of the page that is seen. */
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
