import 'rapidoc'
import { makeAccessible } from './accessible.ts'
import './fonts.css'
import './page.css'

interface Listed {
  readonly url: string
  readonly name: string
}

/** Names the shown document in the address, so that links to an operation work. */
const PARAMETER = 'document'

const byId = <E extends HTMLElement>(id: string) => document.getElementById(id) as E

/** `/openapi/ads.json` → `ads` */
const nameIn = ({ url }: Listed) => url.replace(/^.*\/|\.json$/g, '')

async function listDocuments(): Promise<readonly Listed[]> {
  const response = await fetch('/docs/documents.json')
  if (!response.ok) throw new Error(`/docs/documents.json: status ${response.status}`)
  return (await response.json()) as readonly Listed[]
}

function show(documents: readonly Listed[]): void {
  const asked = new URLSearchParams(location.search).get(PARAMETER)
  const shown = documents.find((one) => nameIn(one) === asked) ?? documents[0]
  if (shown === undefined) return
  const select = byId<HTMLSelectElement>('documents')
  select.append(...documents.map((one) => new Option(one.name, nameIn(one), false, one === shown)))
  // Another document has other operations, so the address loses its fragment.
  select.addEventListener('change', () => location.assign(`?${PARAMETER}=${select.value}`))
  byId<HTMLAnchorElement>('document').href = shown.url
  document.title = `${shown.name} – Posthorn API`
  const reader = document.querySelector('rapi-doc')!
  // RapiDoc shows no navigation on narrow screens, only in this style are all operations on one page.
  if (matchMedia('(max-width: 767px)').matches) reader.setAttribute('render-style', 'view')
  reader.setAttribute('spec-url', shown.url)
  align(reader)
}

/** RapiDoc starts the line with the license 8 px to the left of the other text. */
function align({ shadowRoot }: Element): void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('#api-info { margin-left: 0 }')
  shadowRoot!.adoptedStyleSheets.push(sheet)
}

makeAccessible(document.body)
try {
  show(await listDocuments())
} catch {
  const failure = byId('failure')
  failure.textContent = 'The list of API documents could not be loaded. Reload the page.'
  failure.hidden = false
}
