import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { announceNonce } from './app/nonce.ts'
import { followFurtherLinks } from './pages/signIn/takeToken.ts'
import './styles/fonts.css'
import './styles/mantine.ts'
import './styles/global.css'

announceNonce()
followFurtherLinks()
// Preloads the code font to avoid layout shifts. If it fails, a system font is used.
void document.fonts.load('1em "JetBrains Mono"').catch(() => undefined)

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
