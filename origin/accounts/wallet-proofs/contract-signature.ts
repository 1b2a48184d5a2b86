import { dataLength, Interface, type JsonRpcApiProvider, toBeHex } from 'ethers'
import { CONTRACT_SIGNATURE_GAS } from '../../../shared/limits.ts'
import { ContractUnavailableError } from '../chain.ts'

const ERC1271 = new Interface(['function isValidSignature(bytes32, bytes) view returns (bytes4)'])

/**
 * Response to a valid signature: ERC-1271's magic value, left-aligned in one word. Any other response means that the
 * signature is invalid.
 */
const VALID_SIGNATURE = `0x1626ba7e${'0'.repeat(56)}`

/** Additional gas for the creation code, the calldata, copying, and the 63/64 rule of EIP-150. */
const OVERHEAD_GAS = 1_000_000

const RESULT_WORDS = new Interface([
  'function answer() returns (uint256, uint256, uint256, bytes32)',
])

/**
 * Verifies the signature of a contract wallet (ERC-1271) at the latest block. The wallet is called by creation code
 * that the node executes without deploying it. The response is therefore well-formed even if the wallet reverts, loops
 * or returns a megabyte, and a malformed response means that the node has failed.
 * @param digest 32 bytes in 0x hex
 * @throws {ContractUnavailableError} if the node does not return a well-formed response
 */
export async function checkContractSignature(
  provider: JsonRpcApiProvider,
  { address, digest, signature }: { address: string; digest: string; signature: string },
): Promise<'yes' | 'no' | 'no_code'> {
  const call = ERC1271.encodeFunctionData('isValidSignature', [digest, signature])
  const request = {
    data: callerBytecode(address, call),
    gas: toBeHex(CONTRACT_SIGNATURE_GAS + OVERHEAD_GAS),
  }
  const answer: unknown = await provider
    .send('eth_call', [request, 'latest'])
    .catch((cause: unknown) => {
      throw new ContractUnavailableError('a contract wallet could not be called', { cause })
    })
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{256}$/i.test(answer))
    throw new ContractUnavailableError('its node cannot call contract wallets')
  const [codeBytes, success, answerBytes, word] = RESULT_WORDS.decodeFunctionResult(
    'answer',
    answer,
  )
  if (codeBytes === 0n) return 'no_code'
  return success === 1n && answerBytes === 32n && word === VALID_SIGNATURE ? 'yes' : 'no'
}

/**
 * Generates creation code that makes one static call with limited gas. The code returns four words: the size of the
 * code at the address, the success of the call, the size of the return data, and the first 32 bytes of the return data.
 * The calldata is appended to the code.
 */
function callerBytecode(address: string, callData: string): string {
  const wallet = `73${address.slice(2).toLowerCase()}` // PUSH20
  const size = `61${word16(dataLength(callData))}` // PUSH2
  const gas = `63${CONTRACT_SIGNATURE_GAS.toString(16).padStart(8, '0')}` // PUSH4
  const code = (offset: string) =>
    [
      `${size}61${offset}5f39`, // CODECOPY(to 0, from offset, size)
      `60206060${size}5f${wallet}${gas}fa`, // STATICCALL(gas, wallet, 0, size, 32 bytes of return data to 96)
      '602052', // MSTORE(32, success)
      '3d604052', // MSTORE(64, RETURNDATASIZE)
      `${wallet}3b5f52`, // MSTORE(0, EXTCODESIZE(wallet))
      '60805ff3', // RETURN(0, 128)
    ].join('')
  const length = code('0000').length / 2
  return `0x${code(word16(length))}${callData.slice(2)}`
}

function word16(value: number): string {
  return value.toString(16).padStart(4, '0')
}
