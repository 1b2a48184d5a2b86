import type { AbiType, AbiValue } from './abi-type.ts'
import type { TypedData, TypedDataDomain } from './typed-data.ts'

/** Arguments of `signTypedData` and `TypedDataEncoder` of ethers. */
type SignableTypedData = {
  domain: TypedDataDomain
  types: Record<string, { name: string; type: string }[]>
  value: Record<string, unknown>
}

/** Converts typed data that was checked to the form in which libraries sign it. */
export function signableTypedData({ domain, types, type, value }: TypedData): SignableTypedData {
  return {
    domain,
    types: Object.fromEntries([...types].map(([name, members]) => [name, [...members]])),
    value: plainValue(type, value) as Record<string, unknown>,
  }
}

function plainValue(type: AbiType, value: AbiValue): unknown {
  if (type.kind === 'array')
    return (value as readonly AbiValue[]).map((element) => plainValue(type.of, element))
  if (type.kind !== 'tuple') return value
  return Object.fromEntries(
    type.members.map((member, index) => [
      member.name,
      plainValue(member.type, (value as readonly AbiValue[])[index]!),
    ]),
  )
}
