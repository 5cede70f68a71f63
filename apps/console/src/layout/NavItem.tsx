import { NavLink } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A place in the menu; it is the current one on all pages below its path. */
export function NavItem(props: {
  readonly to: string
  readonly icon: ReactNode
  readonly label: string
  /** What is behind a label that does not say it. */
  readonly description?: string | undefined
  /** The current one only on this very page. */
  readonly exact?: boolean
  /** The current one on this page as well, which is not below its path. */
  readonly here?: boolean
}) {
  const { pathname } = useLocation()
  const below = props.exact !== true && pathname.startsWith(`${props.to}/`)
  const active = pathname === props.to || below || props.here === true
  return (
    <NavLink
      component={Link}
      to={props.to}
      // The link itself says what is current, too.
      activeOptions={{ exact: props.exact === true, includeSearch: false }}
      label={props.label}
      description={props.description}
      // Fainter than this it is hard to read on the current place.
      styles={{ description: { opacity: 1 } }}
      leftSection={props.icon}
      active={active}
      aria-current={active ? 'page' : undefined}
      style={{ borderRadius: 8 }}
    />
  )
}
