// tsdown's own command greets Node 20 with a warning; its function does not. Builds the package it is called in.
import { build } from 'tsdown'

await build({ logLevel: 'error' })
