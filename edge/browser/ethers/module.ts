/** Loaded only if a wallet is connected. */
export { getAddress, Interface, toBeHex } from 'ethers'
