import '@mantine/core/styles/Divider.css'
import { Button, Divider } from '@mantine/core'
import { providerHref, providerName } from './provider.ts'

/** Leads to the identity provider, where the service has one; links by e-mail are the other way. */
export function ProviderButton(props: {
  /** Path in this console to go on to. */
  readonly to?: string | undefined
  /** Whether this page has to stay as it is. */
  readonly inNewTab?: boolean | undefined
}) {
  const name = providerName()
  if (name === null) return null
  return (
    <>
      <Button
        component="a"
        href={providerHref(props.to)}
        {...(props.inNewTab ? { target: '_blank', rel: 'noopener' } : {})}
        fullWidth
        data-autofocus
      >
        Sign in with {name}
      </Button>
      <Divider label="or get a link by e-mail" />
    </>
  )
}
