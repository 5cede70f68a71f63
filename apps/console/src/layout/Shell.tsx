import { AppShell, Burger, Group, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { Logo } from './Logo.tsx'
import { useKeptFocus } from './useKeptFocus.ts'

const HEADER_HEIGHT = 54

/** The frame around all pages of those who are signed in: where one can go at the left, the page at the right. */
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
    // Whoever reads with a screen reader hears that there is another page.
    main.current?.focus({ preventScroll: true })
  }, [pathname, close])
  return (
    <>
      <a className="ph-skip" href="#content">
        Skip to the page
      </a>
      <AppShell
        header={{ height: { base: HEADER_HEIGHT, md: 0 } }}
        navbar={{ width: 248, breakpoint: 'md', collapsed: { mobile: !opened } }}
        layout="alt"
      >
        <AppShell.Header hiddenFrom="md" px="sm">
          <Group h="100%" gap="sm">
            <Burger
              opened={opened}
              onClick={toggle}
              size="sm"
              aria-label={opened ? 'Close the menu' : 'Open the menu'}
              aria-expanded={opened}
            />
            <Logo />
          </Group>
        </AppShell.Header>
        <AppShell.Navbar p="sm" bg="var(--ph-surface)" aria-label="Menu">
          <Group justify="space-between" px={6} py={4} mb="sm">
            <Logo />
            <Burger opened={opened} onClick={toggle} size="sm" hiddenFrom="md" aria-label="Close the menu" />
          </Group>
          <AppShell.Section grow component={ScrollArea}>
            {props.nav}
          </AppShell.Section>
          <AppShell.Section pt="sm">{props.foot}</AppShell.Section>
        </AppShell.Navbar>
        <AppShell.Main id="content" ref={main} tabIndex={-1} style={{ outline: 'none' }}>
          {props.children}
        </AppShell.Main>
      </AppShell>
    </>
  )
}
