import { NavLink } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** An item of the menu, current on all pages below its path. */
export function NavItem(props: {
  readonly to: string
  readonly icon: ReactNode
  readonly label: string
  /** Explains the label. */
  readonly description?: string | undefined
  /** Current only on the page itself. */
  readonly exact?: boolean
  /** Current although the page is not below its path. */
  readonly here?: boolean
}) {
  const { pathname } = useLocation()
  const below = props.exact !== true && pathname.startsWith(`${props.to}/`)
  const active = pathname === props.to || below || props.here === true
  return (
    <NavLink
      component={Link}
      to={props.to}
      // The router's link marks the current page, too.
      activeOptions={{ exact: props.exact === true, includeSearch: false }}
      label={props.label}
      description={props.description}
      // The default opacity has too little contrast on the current item.
      styles={{ description: { opacity: 1 } }}
      leftSection={props.icon}
      active={active}
      aria-current={active ? 'page' : undefined}
      style={{ borderRadius: 8 }}
    />
  )
}
