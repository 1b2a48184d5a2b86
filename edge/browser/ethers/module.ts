/** Subset of ethers, loaded only if a wallet is connected. */
export { getAddress, Interface, toBeHex } from 'ethers'
