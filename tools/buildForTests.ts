import { execFileSync } from 'node:child_process'

/** Worker threads and spawned processes run the built program, so tests start from a fresh build. */
export default function setup(): void {
  execFileSync('npm', ['run', 'build:programs', '--silent'], { stdio: 'inherit' })
}
