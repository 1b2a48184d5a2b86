/* Source of the bundle: the published package, with the exports of its script-tag build. */
import { wordlists } from 'ethers-v5/lib.esm/index.js'

/*
 * The first use of a word list unpacks and verifies it, which takes 30 ms. Done here once, in the template, instead of
 * in every run.
 */
wordlists.en.getWord(0)

export * from 'ethers-v5/lib.esm/index.js'
