import { Burger, Group, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Logo } from './Logo.tsx'
import classes from './shell.module.css'
import { useKeptFocus } from './useKeptFocus.ts'

/** Frame of all signed-in pages: the menu at the left, the page at the right. */
export function Shell(props: {
  readonly nav: ReactNode
  readonly foot: ReactNode
  readonly children: ReactNode
}) {
  const [opened, { toggle, close }] = useDisclosure(false)
  const { pathname } = useLocation()
  const main = useRef<HTMLElement>(null)
  const last = useRef(pathname)
  useKeptFocus(main)
  useEffect(() => {
    if (last.current === pathname) return
    last.current = pathname
    close()
    // Screen readers announce the new page.
    main.current?.focus({ preventScroll: true })
  }, [pathname, close])
  return (
    <>
      <a className="ph-skip" href="#content">
        Skip to content
      </a>
      <div className={classes.shell}>
        <header className={classes.header}>
          <Burger
            opened={opened}
            onClick={toggle}
            size="sm"
            aria-label={opened ? 'Close the menu' : 'Open the menu'}
            aria-expanded={opened}
          />
          <Logo />
        </header>
        <nav className={classes.nav} data-opened={opened} aria-label="Menu">
          <Group justify="space-between" px={6} py={4} mb="sm">
            <Logo />
            <Burger opened={opened} onClick={toggle} size="sm" hiddenFrom="md" aria-label="Close the menu" />
          </Group>
          <ScrollArea flex={1}>{props.nav}</ScrollArea>
          <div className={classes.foot}>{props.foot}</div>
        </nav>
        <main className={classes.main} id="content" ref={main} tabIndex={-1}>
          {props.children}
        </main>
      </div>
    </>
  )
}
