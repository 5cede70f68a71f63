import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queryClient } from '../api/queries.ts'
import { cssVariables } from './colors.ts'
import { Messages } from './Messages.tsx'
import { styleNonce } from './nonce.ts'
import { router } from './router.tsx'
import { theme } from './theme.ts'

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
      // The script sets all variables, so the default style sheet would repeat them.
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>
        <Messages />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  )
}
