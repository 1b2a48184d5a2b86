/** The parts of ethers that the client needs for the account contract. Loaded only for wallets. */
export { getAddress, Interface, toBeHex } from 'ethers'
