import { useState } from 'react'
import { PATH_STYLES, type PathStyle } from './fieldPath.ts'

const STORED_AS = 'posthorn-path-style'

/** The selected path format, stored in this browser. */
export function usePathStyle(): readonly [PathStyle, (style: PathStyle) => void] {
  const [style, setStyle] = useState(stored)
  const choose = (chosen: PathStyle) => {
    setStyle(chosen)
    try {
      window.localStorage.setItem(STORED_AS, chosen)
    } catch {
      // Without storage the selection is lost on reload.
    }
  }
  return [style, choose]
}

function stored(): PathStyle {
  try {
    const kept = window.localStorage.getItem(STORED_AS)
    return PATH_STYLES.find((style) => style === kept) ?? 'dots'
  } catch {
    return 'dots'
  }
}
