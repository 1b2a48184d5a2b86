/** What the client asks of ethers to read and write the contract of accounts: loaded for wallets alone. */
export { getAddress, Interface, toBeHex } from 'ethers'
