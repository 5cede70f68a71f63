import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import { announceNonce } from './app/nonce.ts'
import { followFurtherLinks } from './pages/signIn/takeToken.ts'
import './styles/mantine.ts'
import './styles/global.css'

announceNonce()
followFurtherLinks()

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
