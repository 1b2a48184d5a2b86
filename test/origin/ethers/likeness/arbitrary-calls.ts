import fc from 'fast-check'
import { anyText } from '../../../any-text.ts'

/** Calls for `calls.js`, as JSON: most are typical of actions, and many are invalid. */
export type Call = [name: string, ...args: unknown[]]

const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const FIELD = 'fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f'
const GENERATOR = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const GENERATOR_Y = '483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8'

const hex = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const anyCase = (text: fc.Arbitrary<string>) =>
  fc
    .tuple(text, fc.infiniteStream(fc.boolean()))
    .map(([value, shout]) =>
      value.replace(/[a-f]/g, (digit) => (shout.next().value ? digit.toUpperCase() : digit)),
    )

/** Values close to the bounds of a check. */
const edgeWords = fc
  .constantFrom(ORDER, FIELD, GENERATOR, '0'.repeat(64), 'f'.repeat(64), '8'.padEnd(64, '0'))
  .chain((word) => fc.integer({ min: -2, max: 2 }).map((by) => BigInt(`0x${word}`) + BigInt(by)))
  .map((value) => `0x${BigInt.asUintN(256, value).toString(16).padStart(64, '0')}`)
const word = fc.oneof({ weight: 4, arbitrary: hex(32) }, { weight: 1, arbitrary: edgeWords })
const smallWord = fc.nat(40).map((value) => `0x${value.toString(16).padStart(64, '0')}`)

const text = fc.oneof(fc.string(), anyText(), fc.string({ maxLength: 200 }))
const strange = fc.constantFrom<unknown>(
  null,
  { $undefined: true },
  '',
  '0x',
  '0x0',
  '0X12',
  '0x12 ',
  '0x12\0',
  '0x12\0zz',
  '0xzz',
  '12',
  'hello',
  '\ud800',
  0,
  -1,
  1.5,
  300,
  { $number: 'NaN' },
  { $number: 'Infinity' },
  { $bigint: '-5' },
  { $bigint: '1234567890123456789012345678901234567890' },
  { $hexable: '0x1234' },
  { $hexable: '0xABCD' },
  { $hexable: 'nothing' },
  true,
  [],
  [1, 2, 256],
  [1, -1],
  [1.5],
  { length: 2, 0: 1, 1: 2 },
  {},
)
const bytesLike = fc.oneof(
  { weight: 4, arbitrary: anyCase(hex(0, 80)) },
  {
    weight: 2,
    arbitrary: fc.uint8Array({ maxLength: 80 }).map((bytes) => ({ $bytes: [...bytes] })),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 10 }).map((bytes) => [...bytes]) },
  { weight: 2, arbitrary: strange },
)
/** Replaces about one argument in ten with a strange value; `nearlyAlways` is for the fields of large objects. */
const likely = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary }, { weight: 1, arbitrary: strange })
const nearlyAlways = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 60, arbitrary }, { weight: 1, arbitrary: strange })

const privateKey = likely(fc.oneof(anyCase(word), smallWord))
const point = likely(
  fc.oneof(
    fc.tuple(fc.constantFrom('02', '03', '04'), word).map(([kind, x]) => `0x${kind}${x.slice(2)}`),
    fc
      .tuple(fc.constantFrom('04', '06', '07', '05', '02'), word, word)
      .map(([kind, x, y]) => `0x${kind}${x.slice(2)}${y.slice(2)}`),
    fc.constantFrom('04', '06', '07').map((kind) => `0x${kind}${GENERATOR}${GENERATOR_Y}`),
    fc.constantFrom(`0x02${GENERATOR}`, `0x03${GENERATOR}`),
  ),
)
const address = fc.oneof(hex(20), anyCase(hex(20)), hex(19))
const integerText = fc.oneof(
  fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }).map(String),
  fc.bigInt({ min: -5n, max: 300n }).map(String),
)
const numeric = likely(
  fc.oneof(
    integerText,
    integerText.map(($big) => ({ $big })),
    integerText.map(($bigint) => ({ $bigint })),
    fc.integer(),
    fc.maxSafeInteger(),
    hex(0, 40),
    fc
      .tuple(fc.constantFrom('0x', '-0x', '0x000', '--0x'), fc.nat())
      .map(([at, n]) => at + n.toString(16)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => ({ $bytes: [...bytes] })),
    integerText.map((value) => ({ type: 'BigNumber', hex: `0x${value.replace('-', '')}` })),
  ),
)
/** Integers only: bn.js shifts by fractions incorrectly (`docs/decisions/0015-ethers-bundle.md`). */
const width = fc.oneof(
  fc.nat(300),
  fc.constantFrom(0, 8, 26, 52, 53, 128, 256),
  fc.constantFrom<unknown>('8', null, -1, {}, { $number: 'NaN' }, { $undefined: true }),
)
const decimalText = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(20))
  .map(([value, decimals]) => {
    const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0')
    const at = digits.length - decimals
    return `${value < 0n ? '-' : ''}${digits.slice(0, at)}.${digits.slice(at)}`
  })

const signature = likely(
  fc.oneof(
    hex(65),
    hex(64),
    fc
      .tuple(word, word, fc.constantFrom('00', '01', '1b', '1c', '1d', '25'))
      .map(([r, s, v]) => r + s.slice(2) + v),
    fc.record({ r: word, s: word, v: fc.constantFrom<unknown>(0, 1, 27, 28, 29, 37, null) }),
    fc.record({
      r: word,
      s: word,
      recoveryParam: fc.constantFrom<unknown>(0, 1, 2, 3, 4, -1, true, '1'),
    }),
    fc.record({ r: word, _vs: word }),
    fc.record({ r: smallWord, s: smallWord, v: fc.constantFrom(27, 28) }),
  ),
)
const quantity = fc.oneof(
  fc.nat(),
  fc.bigInt({ min: 0n, max: 2n ** 200n }).map(($bigint) => ({ $big: String($bigint.valueOf()) })),
)
const accessList = fc.array(
  fc.record({ address: hex(20), storageKeys: fc.array(hex(32), { maxLength: 2 }) }),
  { maxLength: 2 },
)
const commonFields = fc.record(
  {
    to: nearlyAlways(hex(20)),
    nonce: nearlyAlways(fc.nat()),
    gasLimit: nearlyAlways(quantity),
    value: nearlyAlways(quantity),
    data: nearlyAlways(anyCase(hex(0, 60))),
    chainId: nearlyAlways(fc.constantFrom(1, 5, 137, 0)),
  },
  { requiredKeys: [] },
)
const legacyFees = { gasPrice: nearlyAlways(quantity) }
const fees = {
  type: fc.constantFrom<unknown>(2, 2, null),
  maxFeePerGas: nearlyAlways(quantity),
  maxPriorityFeePerGas: nearlyAlways(quantity),
  accessList: nearlyAlways(accessList),
}
const transaction = fc
  .tuple(
    commonFields,
    fc.oneof(
      fc.record(legacyFees),
      fc.record({ ...legacyFees, type: fc.constantFrom(0, 1, 3) }),
      fc.record({ ...legacyFees, type: fc.constant(1), accessList }),
      fc.record(fees, { requiredKeys: ['type'] }),
      fc.record({ ...fees, ...legacyFees, extra: fc.nat() }, { requiredKeys: [] }),
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Record<string, unknown>)

const types = {
  Mail: [
    { name: 'from', type: 'address' },
    { name: 'text', type: 'string' },
    { name: 'amounts', type: 'uint256[]' },
    { name: 'place', type: 'Place' },
  ],
  Place: [
    { name: 'x', type: 'int8' },
    { name: 'data', type: 'bytes' },
    { name: 'id', type: 'bytes32' },
    { name: 'ok', type: 'bool' },
  ],
}
const typedData = fc.tuple(
  fc.record(
    {
      name: text,
      version: text,
      chainId: nearlyAlways(quantity),
      verifyingContract: nearlyAlways(hex(20)),
      salt: nearlyAlways(word),
    },
    { requiredKeys: [] },
  ),
  fc.constant(types),
  fc.record({
    from: nearlyAlways(hex(20)),
    text: nearlyAlways(text),
    amounts: nearlyAlways(fc.array(nearlyAlways(quantity), { maxLength: 3 })),
    place: fc.record({
      x: nearlyAlways(fc.integer({ min: -128, max: 128 })),
      data: nearlyAlways(hex(0, 50)),
      id: nearlyAlways(word),
      ok: nearlyAlways(fc.boolean()),
    }),
  }),
)

const elementary: Record<string, fc.Arbitrary<unknown>> = {
  address,
  uint256: fc.oneof(numeric, quantity),
  uint8: fc.oneof(fc.nat(255), numeric),
  int256: fc.oneof(fc.integer(), numeric),
  int64: fc.oneof(fc.integer(), numeric),
  bool: fc.boolean(),
  string: text,
  bytes: bytesLike,
  bytes32: likely(word),
  bytes4: likely(hex(4)),
  'uint256[]': fc.array(fc.oneof(quantity, quantity, numeric), { maxLength: 3 }),
  'string[2]': fc.tuple(text, text),
  'tuple(address a,string b,uint8[] c)': fc.record({
    a: address,
    b: text,
    c: fc.array(fc.nat(256), { maxLength: 3 }),
  }),
  uint7: numeric,
  bytes33: bytesLike,
}
const abiArguments = fc
  .array(fc.constantFrom(...Object.keys(elementary)), { maxLength: 4 })
  .chain((names) =>
    fc.tuple(
      fc.constant(names),
      likely(fc.tuple(...names.map((name) => likely(elementary[name] as fc.Arbitrary<unknown>)))),
    ),
  )

const rlpValue = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, bytesLike, fc.array(tie('value'), { maxLength: 4 })),
})).value
const name = fc.oneof(
  fc.constantFrom(
    'vitalik.eth',
    'a..b',
    '',
    '.',
    'Nick.ETH',
    'fa\u00dfbender.eth',
    'x_y.eth',
    '_x.eth',
    'ab--c.eth',
    '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}.eth',
    '\u0661\u0662.eth',
    'xn--ls8h.eth',
    'a\u00ad.eth',
    '1\ufe0f\u20e3.eth',
    '\u212b.eth',
  ),
  fc
    .array(fc.string({ unit: 'grapheme', maxLength: 6 }), { maxLength: 3 })
    .map((labels) => labels.join('.')),
  text,
)
const path = fc.oneof(
  fc
    .array(fc.tuple(fc.nat(1000), fc.boolean()), { maxLength: 3 })
    .map((steps) => ['m', ...steps.map(([n, hard]) => `${n}${hard ? "'" : ''}`)].join('/')),
  fc.constantFrom("m/44'/60'/0'/0/0", 'm/x', 'n/0', '', '2147483648', '1/m'),
)
const fixedFormat = fc.constantFrom<unknown>(
  'fixed',
  'ufixed',
  'fixed128x18',
  'fixed8x1',
  'ufixed256x80',
  'fixed128x81',
  18,
  null,
)

const util = (...names: string[]) => fc.tuple(fc.constant('util'), fc.constantFrom(...names))
const call = (made: fc.Arbitrary<unknown[]>) => made as unknown as fc.Arbitrary<Call>
const of = (op: string, ...args: fc.Arbitrary<unknown>[]) =>
  call(fc.tuple(fc.constant(op), ...args))
const withUtil = (names: string[], ...args: fc.Arbitrary<unknown>[]) =>
  call(fc.tuple(util(...names), ...args).map(([head, ...rest]) => [...head, ...rest]))

const COMPARED = ['eq', 'lt', 'lte', 'gt', 'gte']
const ARITHMETIC = ['add', 'sub', 'mul', 'div', 'mod', 'and', 'or', 'xor']

/** Grouped by subject, so that each subject gets the same number of calls. */
export const CALLS: Record<string, fc.Arbitrary<Call>> = {
  'keys and signatures': fc.oneof(
    of('wallet', privateKey),
    of('signMessage', privateKey, likely(text)),
    of('signMessage', privateKey, bytesLike),
    of('signAndVerify', privateKey, fc.oneof(text, bytesLike)),
    of('signDigest', privateKey, bytesLike),
    of('signDigest', privateKey, likely(word)),
    of('signAndSplit', privateKey, word),
    of('signingKey', privateKey),
    of('sharedSecret', privateKey, point),
    of('addPoint', privateKey, point),
    withUtil(
      ['computePublicKey'],
      fc.oneof(point, privateKey),
      fc.constantFrom<unknown>(true, false, null),
    ),
    withUtil(['computeAddress'], fc.oneof(point, privateKey)),
    withUtil(['verifyMessage'], text, signature),
    withUtil(['recoverPublicKey', 'recoverAddress'], fc.oneof(word, bytesLike), signature),
    withUtil(['splitSignature', 'joinSignature'], signature),
  ),
  transactions: fc.oneof(
    of('signTransaction', privateKey, transaction),
    of('signedAndParsed', privateKey, transaction),
    withUtil(['serializeTransaction'], transaction),
    withUtil(['serializeTransaction'], transaction, signature),
    withUtil(['parseTransaction'], bytesLike),
    withUtil(['accessListify'], fc.oneof(accessList, strange)),
    withUtil(['getContractAddress'], fc.record({ from: likely(address), nonce: numeric })),
    withUtil(['getCreate2Address'], likely(address), likely(word), likely(word)),
  ),
  'typed data': fc.oneof(
    call(
      fc
        .tuple(fc.constant('signTypedData'), privateKey, typedData)
        .map(([op, key, data]) => [op, key, ...data]),
    ),
    call(
      fc
        .tuple(fc.constant('typedData'), fc.constantFrom('hash', 'encode', 'getPayload'), typedData)
        .map(([op, method, data]) => [op, method, ...data]),
    ),
  ),
  digests: fc.oneof(
    withUtil(['keccak256', 'sha256', 'sha512', 'ripemd160'], bytesLike),
    withUtil(['computeHmac'], fc.constantFrom('sha256', 'sha512', 'md5', ''), bytesLike, bytesLike),
    withUtil(['id', 'hashMessage'], likely(text)),
    withUtil(['hashMessage'], bytesLike),
    call(abiArguments.map(([names, values]) => ['util', 'solidityKeccak256', names, values])),
    call(abiArguments.map(([names, values]) => ['util', 'soliditySha256', names, values])),
  ),
  'bytes and text': fc.oneof(
    withUtil(
      [
        'arrayify',
        'hexlify',
        'isBytes',
        'isBytesLike',
        'isHexString',
        'hexDataLength',
        'hexValue',
        'hexStripZeros',
        'stripZeros',
      ],
      bytesLike,
    ),
    withUtil(
      ['arrayify', 'hexlify'],
      bytesLike,
      fc.constantFrom({ allowMissingPrefix: true }, { hexPad: 'left' }, { hexPad: 'right' }),
    ),
    withUtil(['hexZeroPad', 'zeroPad'], bytesLike, fc.constantFrom<unknown>(0, 4, 32, 100, -1)),
    withUtil(['hexDataSlice'], bytesLike, fc.integer({ min: -3, max: 40 }), fc.option(fc.nat(40))),
    withUtil(['concat', 'hexConcat'], likely(fc.array(bytesLike, { maxLength: 4 }))),
    withUtil(
      ['toUtf8Bytes', 'toUtf8CodePoints'],
      likely(text),
      fc.constantFrom<unknown>({ $undefined: true }, 'NFC', 'NFKD', 'no'),
    ),
    withUtil(['toUtf8String', '_toEscapedUtf8String'], bytesLike),
    withUtil(['formatBytes32String'], text),
    withUtil(['parseBytes32String'], bytesLike),
    withUtil(['getAddress', 'getIcapAddress', 'isAddress'], likely(address)),
    of('base58', bytesLike),
    of(
      'base58Decode',
      fc.oneof(
        text,
        fc.string({
          unit: fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'),
        }),
      ),
    ),
    of('base64', bytesLike),
    of('rlp', rlpValue),
    of('rlpDecode', bytesLike),
  ),
  numbers: fc.oneof(
    of('big', numeric),
    of('bigCall', numeric, fc.constantFrom(...COMPARED, ...ARITHMETIC, ...ARITHMETIC), numeric),
    of(
      'bigCall',
      numeric,
      fc.constant('pow'),
      fc.oneof(fc.integer({ min: -2, max: 12 }), fc.constantFrom<unknown>(null, 1.5, 'x', {})),
    ),
    of('bigCall', numeric, fc.constantFrom('shl', 'shr', 'mask', 'toTwos', 'fromTwos'), width),
    of('bigCall', numeric, fc.constantFrom('shr', 'mask', 'fromTwos'), fc.constant(2 ** 32)),
    of(
      'bigCall',
      numeric,
      fc.constantFrom('mask', 'toTwos', 'fromTwos'),
      fc.constantFrom(0.5, 8.5, 26.5),
    ),
    of(
      'bigCall',
      numeric,
      fc.constantFrom(
        'abs',
        'isZero',
        'isNegative',
        'toNumber',
        'toString',
        'toHexString',
        'toJSON',
        'toBigInt',
      ),
    ),
    of('bigCall', numeric, fc.constant('toString'), fc.constantFrom(16, 2)),
    withUtil(['parseEther', 'formatEther'], fc.oneof(decimalText, numeric)),
    withUtil(
      ['parseUnits', 'formatUnits'],
      fc.oneof(decimalText, numeric),
      fc.constantFrom<unknown>('gwei', 'ether', 'wei', 6, 0, 80, 300, 'nothing', null),
    ),
    withUtil(['commify'], fc.oneof(decimalText, text)),
    of(
      'fixedCall',
      fc.oneof(decimalText, numeric),
      fixedFormat,
      fc.constantFrom('addUnsafe', 'subUnsafe', 'mulUnsafe', 'divUnsafe'),
      fc.oneof(decimalText, numeric),
    ),
    of(
      'fixedCall',
      fc.oneof(decimalText, numeric),
      fixedFormat,
      fc.constantFrom('floor', 'ceiling', 'isZero', 'isNegative', 'toString', 'toHexString'),
    ),
    of('fixedCall', decimalText, fixedFormat, fc.constant('round'), fc.oneof(fc.nat(20), strange)),
    of('fixedCall', decimalText, fixedFormat, fc.constant('toFormat'), fixedFormat),
  ),
  ABIs: fc.oneof(
    call(abiArguments.map(([names, values]) => ['encode', names, values])),
    call(abiArguments.map(([names, values]) => ['encodeAndDecode', names, values])),
    call(fc.tuple(abiArguments, hex(0, 200)).map(([[names], data]) => ['decode', names, data])),
    call(
      fc
        .tuple(abiArguments, fc.array(fc.oneof(smallWord, word), { maxLength: 6 }))
        .map(([[names], words]) => [
          'decode',
          names,
          `0x${words.map((value) => value.slice(2)).join('')}`,
        ]),
    ),
    of(
      'callData',
      fc.constant(['function transfer(address to, uint256 value) returns (bool)']),
      fc.constantFrom('transfer', 'transfer(address,uint256)', 'approve'),
      likely(fc.tuple(likely(address), numeric)),
    ),
    of(
      'fragment',
      fc.oneof(
        fc.constantFrom(
          'function f(uint a, tuple(address b, string[] c) d) view returns (bool)',
          'event E(address indexed a, uint b)',
          'error X(uint a)',
          'constructor(uint a) payable',
          'function f(uint a',
          'function (',
          'f(uint)',
        ),
        text,
      ),
    ),
  ),
  'names and keys of trees': fc.oneof(
    withUtil(['namehash', 'isValidName', 'nameprep', 'dnsEncode'], name),
    of('hdNode', likely(hex(16, 64)), path),
    of('hdPublic', hex(16, 64), path),
    of('mnemonic', text, text),
    withUtil(['entropyToMnemonic'], likely(fc.oneof(hex(16), hex(32), hex(17)))),
    withUtil(['isValidMnemonic', 'mnemonicToEntropy'], text),
  ),
}
