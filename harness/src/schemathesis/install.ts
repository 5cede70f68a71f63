import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { providePythonPackages } from '../support/pythonPackages.ts'

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url))

type Installed =
  | { readonly program: string; readonly missing: null }
  | { readonly program: null; readonly missing: string }

/** Schemathesis, or why Python or pip cannot install it. */
export async function provideSchemathesis(python = 'python3'): Promise<Installed> {
  const { programs, missing } = await providePythonPackages('Schemathesis', REQUIREMENTS, python)
  return programs === null ? { program: null, missing } : { program: path.join(programs, 'st'), missing }
}
