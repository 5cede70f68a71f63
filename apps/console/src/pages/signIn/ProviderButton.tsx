import '@mantine/core/styles/Divider.css'
import { Button, Divider } from '@mantine/core'
import { providerHref, providerName } from './provider.ts'

/** Link to the identity provider, if the service has one. */
export function ProviderButton(props: {
  /** Path in this console to open after the sign-in. */
  readonly to?: string | undefined
  /** Whether this page must stay open. */
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
