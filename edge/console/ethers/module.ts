/** The parts of ethers that the client needs for the account contract. Loaded only if a wallet is connected. */
export { getAddress, Interface, toBeHex } from 'ethers'
