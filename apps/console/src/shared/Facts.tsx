import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** Names and values, side by side. */
export const Facts = ({ children }: { readonly children: ReactNode }) => (
  <dl className={classes.list}>{children}</dl>
)

export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <Text component="dt" size="sm" c="dimmed">
      {name}
    </Text>
    <Text component="dd" size="sm" m={0} miw={0}>
      {children}
    </Text>
  </>
)
