/**
 * Names that the editor completes, grouped by the path that precedes them. A test checks that the names exist in the
 * sandbox.
 */

export type ActionName = { name: string; detail?: string }

const names = (text: string): ActionName[] => text.split(' ').map((name) => ({ name }))

const KEYS: ActionName[] = [
  { name: 'wallet', detail: '({ pkpId })' },
  {
    name: 'sendTransaction',
    detail: '({ pkpId, chain, to, data, value, gas, maxFeePerGas, speed, errors, idempotencyKey })',
  },
  { name: 'transaction', detail: '({ id, waitFor, timeoutMs })' },
  { name: 'signMessage', detail: '({ pkpId, message })' },
  { name: 'signTypedData', detail: '({ pkpId, domain, types, value })' },
  { name: 'signTransaction', detail: '({ pkpId, transaction })' },
  { name: 'signDigest', detail: '({ pkpId, digest })' },
  { name: 'getPrivateKey', detail: '({ pkpId })' },
  { name: 'encrypt', detail: '({ pkpId, message })' },
  { name: 'decrypt', detail: '({ pkpId, ciphertext })' },
  { name: 'getSvcActionPrivateKey', detail: '()' },
  { name: 'getSvcActionPublicKey', detail: '({ ipfsId })' },
  { name: 'getSvcActionWalletAddress', detail: '({ ipfsId })' },
  { name: 'getTraceparent', detail: '()' },
]

const GLOBALS: ActionName[] = [
  ...names('Svc ethers console'),
  { name: 'fetch', detail: '(url, options)' },
  ...names(
    'crypto performance Request Response Headers URL URLSearchParams AbortController AbortSignal TextEncoder TextDecoder atob btoa setTimeout clearTimeout setInterval clearInterval queueMicrotask structuredClone',
  ),
]

export const ACTION_NAMES: ReadonlyMap<string, readonly ActionName[]> = new Map([
  ['', GLOBALS],
  ['Svc.', names('Actions')],
  ['Svc.Actions.', KEYS],
  ['console.', names('log info warn error debug dir assert trace')],
  ['crypto.', names('getRandomValues randomUUID subtle')],
  ['crypto.subtle.', names('digest importKey sign verify')],
  ['performance.', names('now')],
  ['AbortSignal.', names('timeout abort any')],
  ['ethers.', names('Wallet BigNumber Contract constants providers utils')],
  ['ethers.constants.', names('AddressZero HashZero MaxUint256 Zero One WeiPerEther')],
  ['ethers.providers.', names('JsonRpcProvider StaticJsonRpcProvider')],
  ['ethers.BigNumber.', names('from isBigNumber')],
  [
    'ethers.utils.',
    names(
      'arrayify hexlify hexZeroPad hexConcat isAddress getAddress computeAddress keccak256 sha256 id hashMessage verifyMessage verifyTypedData toUtf8Bytes toUtf8String parseEther formatEther parseUnits formatUnits parseTransaction serializeTransaction defaultAbiCoder Interface solidityKeccak256 solidityPack splitSignature joinSignature recoverAddress base58 RLP',
    ),
  ],
])
