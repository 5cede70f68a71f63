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
// Loaded before a page shows code, so that its text does not move. Without it a font of the machine is used.
void document.fonts.load('1em "JetBrains Mono"').catch(() => undefined)

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
