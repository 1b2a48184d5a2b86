/* What the bundle is made of: the published package, as a script tag's `ethers` has it. */
import { wordlists } from 'ethers-v5/lib.esm/index.js'

/* The first look at a list unpacks and checks it, for 30 ms: once in the template, and not in every run. */
wordlists.en.getWord(0)

export * from 'ethers-v5/lib.esm/index.js'
