// tsdown's own command warns on Node 20; its function does not. Builds the package in the working directory.
import { build } from 'tsdown'

await build({ logLevel: 'error' })
