/* Entry point of the ethers bundle. Exports the same names as the published package's build for script tags. */
import { wordlists } from 'ethers-v5/lib.esm/index.js'

/*
 * A word list is unpacked and verified on first use, which takes 30 ms. This call does that once, when the template is
 * built, instead of in every run.
 */
wordlists.en.getWord(0)

export * from 'ethers-v5/lib.esm/index.js'
