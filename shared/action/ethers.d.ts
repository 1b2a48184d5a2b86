/* oxlint-disable -- declarations of ethers 5.8 (MIT License), made by shared/packaging/ethers-declarations.ts. */
export declare type Bytes = ArrayLike<number>;
export declare type BytesLike = Bytes | string;
declare type DataOptions = {
	allowMissingPrefix?: boolean;
	hexPad?: "left" | "right" | null;
};
interface Hexable {
	toHexString(): string;
}
declare type SignatureLike = {
	r: string;
	s?: string;
	_vs?: string;
	recoveryParam?: number;
	v?: number;
} | BytesLike;
export interface Signature {
	r: string;
	s: string;
	_vs: string;
	recoveryParam: number;
	v: number;
	yParityAndS: string;
	compact: string;
}
declare function isBytesLike(value: any): value is BytesLike;
declare function isBytes(value: any): value is Bytes;
declare function arrayify(value: BytesLike | Hexable | number, options?: DataOptions): Uint8Array;
declare function concat(items: ReadonlyArray<BytesLike>): Uint8Array;
declare function stripZeros(value: BytesLike): Uint8Array;
declare function zeroPad(value: BytesLike, length: number): Uint8Array;
declare function isHexString(value: any, length?: number): boolean;
declare function hexlify(value: BytesLike | Hexable | number | bigint, options?: DataOptions): string;
declare function hexDataLength(data: BytesLike): number;
declare function hexDataSlice(data: BytesLike, offset: number, endOffset?: number): string;
declare function hexConcat(items: ReadonlyArray<BytesLike>): string;
declare function hexValue(value: BytesLike | Hexable | number | bigint): string;
declare function hexStripZeros(value: BytesLike): string;
declare function hexZeroPad(value: BytesLike, length: number): string;
declare function splitSignature(signature: SignatureLike): Signature;
declare function joinSignature(signature: SignatureLike): string;
export declare type BigNumberish = BigNumber | Bytes | bigint | string | number;
export declare class BigNumber implements Hexable {
	readonly _hex: string;
	readonly _isBigNumber: boolean;
	constructor(constructorGuard: any, hex: string);
	fromTwos(value: number): BigNumber;
	toTwos(value: number): BigNumber;
	abs(): BigNumber;
	add(other: BigNumberish): BigNumber;
	sub(other: BigNumberish): BigNumber;
	div(other: BigNumberish): BigNumber;
	mul(other: BigNumberish): BigNumber;
	mod(other: BigNumberish): BigNumber;
	pow(other: BigNumberish): BigNumber;
	and(other: BigNumberish): BigNumber;
	or(other: BigNumberish): BigNumber;
	xor(other: BigNumberish): BigNumber;
	mask(value: number): BigNumber;
	shl(value: number): BigNumber;
	shr(value: number): BigNumber;
	eq(other: BigNumberish): boolean;
	lt(other: BigNumberish): boolean;
	lte(other: BigNumberish): boolean;
	gt(other: BigNumberish): boolean;
	gte(other: BigNumberish): boolean;
	isNegative(): boolean;
	isZero(): boolean;
	toNumber(): number;
	toBigInt(): bigint;
	toString(): string;
	toHexString(): string;
	toJSON(key?: string): any;
	static from(value: any): BigNumber;
	static isBigNumber(value: any): value is BigNumber;
}
declare class FixedFormat {
	readonly signed: boolean;
	readonly width: number;
	readonly decimals: number;
	readonly name: string;
	readonly _multiplier: string;
	constructor(constructorGuard: any, signed: boolean, width: number, decimals: number);
	static from(value: any): FixedFormat;
}
export declare class FixedNumber {
	readonly format: FixedFormat;
	readonly _hex: string;
	readonly _value: string;
	readonly _isFixedNumber: boolean;
	constructor(constructorGuard: any, hex: string, value: string, format?: FixedFormat);
	_checkFormat(other: FixedNumber): void;
	addUnsafe(other: FixedNumber): FixedNumber;
	subUnsafe(other: FixedNumber): FixedNumber;
	mulUnsafe(other: FixedNumber): FixedNumber;
	divUnsafe(other: FixedNumber): FixedNumber;
	floor(): FixedNumber;
	ceiling(): FixedNumber;
	round(decimals?: number): FixedNumber;
	isZero(): boolean;
	isNegative(): boolean;
	toString(): string;
	toHexString(width?: number): string;
	toUnsafeFloat(): number;
	toFormat(format: FixedFormat | string): FixedNumber;
	static fromValue(value: BigNumber, decimals?: BigNumberish, format?: FixedFormat | string | number): FixedNumber;
	static fromString(value: string, format?: FixedFormat | string | number): FixedNumber;
	static fromBytes(value: BytesLike, format?: FixedFormat | string | number): FixedNumber;
	static from(value: any, format?: FixedFormat | string | number): FixedNumber;
	static isFixedNumber(value: any): value is FixedNumber;
}
interface JsonFragmentType {
	readonly name?: string;
	readonly indexed?: boolean;
	readonly type?: string;
	readonly internalType?: any;
	readonly components?: ReadonlyArray<JsonFragmentType>;
}
interface JsonFragment {
	readonly name?: string;
	readonly type?: string;
	readonly anonymous?: boolean;
	readonly payable?: boolean;
	readonly constant?: boolean;
	readonly stateMutability?: string;
	readonly inputs?: ReadonlyArray<JsonFragmentType>;
	readonly outputs?: ReadonlyArray<JsonFragmentType>;
	readonly gas?: string;
}
declare const FormatTypes: {
	[name: string]: string;
};
declare class ParamType {
	readonly name: string;
	readonly type: string;
	readonly baseType: string;
	readonly indexed: boolean;
	readonly components: Array<ParamType>;
	readonly arrayLength: number;
	readonly arrayChildren: ParamType;
	readonly _isParamType: boolean;
	constructor(constructorGuard: any, params: any);
	format(format?: string): string;
	static from(value: string | JsonFragmentType | ParamType, allowIndexed?: boolean): ParamType;
	static fromObject(value: JsonFragmentType | ParamType): ParamType;
	static fromString(value: string, allowIndexed?: boolean): ParamType;
	static isParamType(value: any): value is ParamType;
}
declare abstract class Fragment {
	readonly type: string;
	readonly name: string;
	readonly inputs: Array<ParamType>;
	readonly _isFragment: boolean;
	constructor(constructorGuard: any, params: any);
	abstract format(format?: string): string;
	static from(value: Fragment | JsonFragment | string): Fragment;
	static fromObject(value: Fragment | JsonFragment): Fragment;
	static fromString(value: string): Fragment;
	static isFragment(value: any): value is Fragment;
}
declare class EventFragment extends Fragment {
	readonly anonymous: boolean;
	format(format?: string): string;
	static from(value: EventFragment | JsonFragment | string): EventFragment;
	static fromObject(value: JsonFragment | EventFragment): EventFragment;
	static fromString(value: string): EventFragment;
	static isEventFragment(value: any): value is EventFragment;
}
declare class ConstructorFragment extends Fragment {
	stateMutability: string;
	payable: boolean;
	gas?: BigNumber;
	format(format?: string): string;
	static from(value: ConstructorFragment | JsonFragment | string): ConstructorFragment;
	static fromObject(value: ConstructorFragment | JsonFragment): ConstructorFragment;
	static fromString(value: string): ConstructorFragment;
	static isConstructorFragment(value: any): value is ConstructorFragment;
}
declare class FunctionFragment extends ConstructorFragment {
	constant: boolean;
	outputs?: Array<ParamType>;
	format(format?: string): string;
	static from(value: FunctionFragment | JsonFragment | string): FunctionFragment;
	static fromObject(value: FunctionFragment | JsonFragment): FunctionFragment;
	static fromString(value: string): FunctionFragment;
	static isFunctionFragment(value: any): value is FunctionFragment;
}
declare class ErrorFragment extends Fragment {
	format(format?: string): string;
	static from(value: ErrorFragment | JsonFragment | string): ErrorFragment;
	static fromObject(value: ErrorFragment | JsonFragment): ErrorFragment;
	static fromString(value: string): ErrorFragment;
	static isErrorFragment(value: any): value is ErrorFragment;
}
interface Result extends ReadonlyArray<any> {
	readonly [key: string]: any;
}
declare function checkResultErrors(result: Result): Array<{
	path: Array<string | number>;
	error: Error;
}>;
declare type CoerceFunc = (type: string, value: any) => any;
declare abstract class Coder {
	readonly name: string;
	readonly type: string;
	readonly localName: string;
	readonly dynamic: boolean;
	constructor(name: string, type: string, localName: string, dynamic: boolean);
	_throwError(message: string, value: any): void;
	abstract encode(writer: Writer, value: any): number;
	abstract decode(reader: Reader): any;
	abstract defaultValue(): any;
}
declare class Writer {
	readonly wordSize: number;
	_data: Array<Uint8Array>;
	_dataLength: number;
	_padding: Uint8Array;
	constructor(wordSize?: number);
	get data(): string;
	get length(): number;
	_writeData(data: Uint8Array): number;
	appendWriter(writer: Writer): number;
	writeBytes(value: BytesLike): number;
	_getValue(value: BigNumberish): Uint8Array;
	writeValue(value: BigNumberish): number;
	writeUpdatableValue(): (value: BigNumberish) => void;
}
declare class Reader {
	readonly wordSize: number;
	readonly allowLoose: boolean;
	readonly _data: Uint8Array;
	readonly _coerceFunc: CoerceFunc;
	_offset: number;
	constructor(data: BytesLike, wordSize?: number, coerceFunc?: CoerceFunc, allowLoose?: boolean);
	get data(): string;
	get consumed(): number;
	static coerce(name: string, value: any): any;
	coerce(name: string, value: any): any;
	_peekBytes(offset: number, length: number, loose?: boolean): Uint8Array;
	subReader(offset: number): Reader;
	readBytes(length: number, loose?: boolean): Uint8Array;
	readValue(): BigNumber;
}
declare type CoerceFunc$1 = (type: string, value: any) => any;
declare class AbiCoder {
	readonly coerceFunc: CoerceFunc$1;
	constructor(coerceFunc?: CoerceFunc$1);
	_getCoder(param: ParamType): Coder;
	_getWordSize(): number;
	_getReader(data: Uint8Array, allowLoose?: boolean): Reader;
	_getWriter(): Writer;
	getDefaultValue(types: ReadonlyArray<string | ParamType>): Result;
	encode(types: ReadonlyArray<string | ParamType>, values: ReadonlyArray<any>): string;
	decode(types: ReadonlyArray<string | ParamType>, data: BytesLike, loose?: boolean): Result;
}
declare const defaultAbiCoder: AbiCoder;
declare function defineReadOnly<T, K extends keyof T>(object: T, name: K, value: T[K]): void;
declare function getStatic<T>(ctor: any, key: string): T;
declare type Deferrable<T> = {
	[K in keyof T]: T[K] | Promise<T[K]>;
};
declare function resolveProperties<T>(object: Readonly<Deferrable<T>>): Promise<T>;
declare function checkProperties(object: any, properties: {
	[name: string]: boolean;
}): void;
declare function shallowCopy<T>(object: T): T;
declare function deepCopy<T>(object: T): T;
declare class Description<T = any> {
	constructor(info: {
		[K in keyof T]: T[K];
	});
}
declare class LogDescription extends Description<LogDescription> {
	readonly eventFragment: EventFragment;
	readonly name: string;
	readonly signature: string;
	readonly topic: string;
	readonly args: Result;
}
declare class TransactionDescription extends Description<TransactionDescription> {
	readonly functionFragment: FunctionFragment;
	readonly name: string;
	readonly args: Result;
	readonly signature: string;
	readonly sighash: string;
	readonly value: BigNumber;
}
declare class ErrorDescription extends Description<ErrorDescription> {
	readonly errorFragment: ErrorFragment;
	readonly name: string;
	readonly args: Result;
	readonly signature: string;
	readonly sighash: string;
}
declare class Indexed extends Description<Indexed> {
	readonly hash: string;
	readonly _isIndexed: boolean;
	static isIndexed(value: any): value is Indexed;
}
declare class Interface {
	readonly fragments: ReadonlyArray<Fragment>;
	readonly errors: {
		[name: string]: ErrorFragment;
	};
	readonly events: {
		[name: string]: EventFragment;
	};
	readonly functions: {
		[name: string]: FunctionFragment;
	};
	readonly structs: {
		[name: string]: any;
	};
	readonly deploy: ConstructorFragment;
	readonly _abiCoder: AbiCoder;
	readonly _isInterface: boolean;
	constructor(fragments: string | ReadonlyArray<Fragment | JsonFragment | string>);
	format(format?: string): string | Array<string>;
	static getAbiCoder(): AbiCoder;
	static getAddress(address: string): string;
	static getSighash(fragment: ErrorFragment | FunctionFragment): string;
	static getEventTopic(eventFragment: EventFragment): string;
	getFunction(nameOrSignatureOrSighash: string): FunctionFragment;
	getEvent(nameOrSignatureOrTopic: string): EventFragment;
	getError(nameOrSignatureOrSighash: string): ErrorFragment;
	getSighash(fragment: ErrorFragment | FunctionFragment | string): string;
	getEventTopic(eventFragment: EventFragment | string): string;
	_decodeParams(params: ReadonlyArray<ParamType>, data: BytesLike): Result;
	_encodeParams(params: ReadonlyArray<ParamType>, values: ReadonlyArray<any>): string;
	encodeDeploy(values?: ReadonlyArray<any>): string;
	decodeErrorResult(fragment: ErrorFragment | string, data: BytesLike): Result;
	encodeErrorResult(fragment: ErrorFragment | string, values?: ReadonlyArray<any>): string;
	decodeFunctionData(functionFragment: FunctionFragment | string, data: BytesLike): Result;
	encodeFunctionData(functionFragment: FunctionFragment | string, values?: ReadonlyArray<any>): string;
	decodeFunctionResult(functionFragment: FunctionFragment | string, data: BytesLike): Result;
	encodeFunctionResult(functionFragment: FunctionFragment | string, values?: ReadonlyArray<any>): string;
	encodeFilterTopics(eventFragment: EventFragment | string, values: ReadonlyArray<any>): Array<string | Array<string>>;
	encodeEventLog(eventFragment: EventFragment | string, values: ReadonlyArray<any>): {
		data: string;
		topics: Array<string>;
	};
	decodeEventLog(eventFragment: EventFragment | string, data: BytesLike, topics?: ReadonlyArray<string>): Result;
	parseTransaction(tx: {
		data: string;
		value?: BigNumberish;
	}): TransactionDescription;
	parseLog(log: {
		topics: Array<string>;
		data: string;
	}): LogDescription;
	parseError(data: BytesLike): ErrorDescription;
	static isInterface(value: any): value is Interface;
}
declare type Network = {
	name: string;
	chainId: number;
	ensAddress?: string;
	_defaultProvider?: (providers: any, options?: any) => any;
};
declare type Networkish = Network | string | number;
declare function getNetwork(network: Networkish): Network;
declare type AccessList = Array<{
	address: string;
	storageKeys: Array<string>;
}>;
declare type AccessListish = AccessList | Array<[
	string,
	Array<string>
]> | Record<string, Array<string>>;
declare enum TransactionTypes {
	legacy = 0,
	eip2930 = 1,
	eip1559 = 2
}
export declare type UnsignedTransaction = {
	to?: string;
	nonce?: number;
	gasLimit?: BigNumberish;
	gasPrice?: BigNumberish;
	data?: BytesLike;
	value?: BigNumberish;
	chainId?: number;
	type?: number | null;
	accessList?: AccessListish;
	maxPriorityFeePerGas?: BigNumberish;
	maxFeePerGas?: BigNumberish;
};
export interface Transaction {
	hash?: string;
	to?: string;
	from?: string;
	nonce: number;
	gasLimit: BigNumber;
	gasPrice?: BigNumber;
	data: string;
	value: BigNumber;
	chainId: number;
	r?: string;
	s?: string;
	v?: number;
	type?: number | null;
	accessList?: AccessList;
	maxPriorityFeePerGas?: BigNumber;
	maxFeePerGas?: BigNumber;
}
declare function computeAddress(key: BytesLike | string): string;
declare function recoverAddress(digest: BytesLike, signature: SignatureLike): string;
declare function accessListify(value: AccessListish): AccessList;
declare function serialize(transaction: UnsignedTransaction, signature?: SignatureLike): string;
declare function parse(rawTransaction: BytesLike): Transaction;
declare type ConnectionInfo = {
	url: string;
	headers?: {
		[key: string]: string | number;
	};
	user?: string;
	password?: string;
	allowInsecureAuthentication?: boolean;
	allowGzip?: boolean;
	throttleLimit?: number;
	throttleSlotInterval?: number;
	throttleCallback?: (attempt: number, url: string) => Promise<boolean>;
	skipFetchSetup?: boolean;
	fetchOptions?: Record<string, string>;
	errorPassThrough?: boolean;
	timeout?: number;
};
interface OnceBlockable {
	once(eventName: "block", handler: () => void): void;
}
interface OncePollable {
	once(eventName: "poll", handler: () => void): void;
}
declare type PollOptions = {
	timeout?: number;
	floor?: number;
	ceiling?: number;
	interval?: number;
	retryLimit?: number;
	onceBlock?: OnceBlockable;
	oncePoll?: OncePollable;
};
declare type FetchJsonResponse = {
	statusCode: number;
	headers: {
		[header: string]: string;
	};
};
declare function _fetchData<T = Uint8Array>(connection: string | ConnectionInfo, body?: Uint8Array, processFunc?: (value: Uint8Array, response: FetchJsonResponse) => T): Promise<T>;
declare function fetchJson(connection: string | ConnectionInfo, json?: string, processFunc?: (value: any, response: FetchJsonResponse) => any): Promise<any>;
declare function poll<T>(func: () => Promise<T>, options?: PollOptions): Promise<T>;
declare type TransactionRequest = {
	to?: string;
	from?: string;
	nonce?: BigNumberish;
	gasLimit?: BigNumberish;
	gasPrice?: BigNumberish;
	data?: BytesLike;
	value?: BigNumberish;
	chainId?: number;
	type?: number;
	accessList?: AccessListish;
	maxPriorityFeePerGas?: BigNumberish;
	maxFeePerGas?: BigNumberish;
	customData?: Record<string, any>;
	ccipReadEnabled?: boolean;
};
interface TransactionResponse extends Transaction {
	hash: string;
	blockNumber?: number;
	blockHash?: string;
	timestamp?: number;
	confirmations: number;
	from: string;
	raw?: string;
	wait: (confirmations?: number) => Promise<TransactionReceipt>;
}
declare type BlockTag = string | number;
interface _Block {
	hash: string;
	parentHash: string;
	number: number;
	timestamp: number;
	nonce: string;
	difficulty: number;
	_difficulty: BigNumber;
	gasLimit: BigNumber;
	gasUsed: BigNumber;
	miner: string;
	extraData: string;
	baseFeePerGas?: null | BigNumber;
}
interface Block extends _Block {
	transactions: Array<string>;
}
interface BlockWithTransactions extends _Block {
	transactions: Array<TransactionResponse>;
}
interface Log {
	blockNumber: number;
	blockHash: string;
	transactionIndex: number;
	removed: boolean;
	address: string;
	data: string;
	topics: Array<string>;
	transactionHash: string;
	logIndex: number;
}
interface TransactionReceipt {
	to: string;
	from: string;
	contractAddress: string;
	transactionIndex: number;
	root?: string;
	gasUsed: BigNumber;
	logsBloom: string;
	blockHash: string;
	transactionHash: string;
	logs: Array<Log>;
	blockNumber: number;
	confirmations: number;
	cumulativeGasUsed: BigNumber;
	effectiveGasPrice: BigNumber;
	byzantium: boolean;
	type: number;
	status?: number;
}
interface FeeData {
	lastBaseFeePerGas: null | BigNumber;
	maxFeePerGas: null | BigNumber;
	maxPriorityFeePerGas: null | BigNumber;
	gasPrice: null | BigNumber;
}
interface EventFilter {
	address?: string;
	topics?: Array<string | Array<string> | null>;
}
interface Filter extends EventFilter {
	fromBlock?: BlockTag;
	toBlock?: BlockTag;
}
interface FilterByBlockHash extends EventFilter {
	blockHash?: string;
}
declare abstract class ForkEvent extends Description {
	readonly expiry: number;
	readonly _isForkEvent?: boolean;
	static isForkEvent(value: any): value is ForkEvent;
}
declare type EventType = string | Array<string | Array<string>> | EventFilter | ForkEvent;
declare type Listener = (...args: Array<any>) => void;
declare abstract class Provider implements OnceBlockable {
	abstract getNetwork(): Promise<Network>;
	abstract getBlockNumber(): Promise<number>;
	abstract getGasPrice(): Promise<BigNumber>;
	getFeeData(): Promise<FeeData>;
	abstract getBalance(addressOrName: string | Promise<string>, blockTag?: BlockTag | Promise<BlockTag>): Promise<BigNumber>;
	abstract getTransactionCount(addressOrName: string | Promise<string>, blockTag?: BlockTag | Promise<BlockTag>): Promise<number>;
	abstract getCode(addressOrName: string | Promise<string>, blockTag?: BlockTag | Promise<BlockTag>): Promise<string>;
	abstract getStorageAt(addressOrName: string | Promise<string>, position: BigNumberish | Promise<BigNumberish>, blockTag?: BlockTag | Promise<BlockTag>): Promise<string>;
	abstract sendTransaction(signedTransaction: string | Promise<string>): Promise<TransactionResponse>;
	abstract call(transaction: Deferrable<TransactionRequest>, blockTag?: BlockTag | Promise<BlockTag>): Promise<string>;
	abstract estimateGas(transaction: Deferrable<TransactionRequest>): Promise<BigNumber>;
	abstract getBlock(blockHashOrBlockTag: BlockTag | string | Promise<BlockTag | string>): Promise<Block>;
	abstract getBlockWithTransactions(blockHashOrBlockTag: BlockTag | string | Promise<BlockTag | string>): Promise<BlockWithTransactions>;
	abstract getTransaction(transactionHash: string): Promise<TransactionResponse>;
	abstract getTransactionReceipt(transactionHash: string): Promise<TransactionReceipt>;
	abstract getLogs(filter: Filter): Promise<Array<Log>>;
	abstract resolveName(name: string | Promise<string>): Promise<null | string>;
	abstract lookupAddress(address: string | Promise<string>): Promise<null | string>;
	abstract on(eventName: EventType, listener: Listener): Provider;
	abstract once(eventName: EventType, listener: Listener): Provider;
	abstract emit(eventName: EventType, ...args: Array<any>): boolean;
	abstract listenerCount(eventName?: EventType): number;
	abstract listeners(eventName?: EventType): Array<Listener>;
	abstract off(eventName: EventType, listener?: Listener): Provider;
	abstract removeAllListeners(eventName?: EventType): Provider;
	addListener(eventName: EventType, listener: Listener): Provider;
	removeListener(eventName: EventType, listener: Listener): Provider;
	abstract waitForTransaction(transactionHash: string, confirmations?: number, timeout?: number): Promise<TransactionReceipt>;
	readonly _isProvider: boolean;
	constructor();
	static isProvider(value: any): value is Provider;
}
export interface TypedDataDomain {
	name?: string;
	version?: string;
	chainId?: BigNumberish;
	verifyingContract?: string;
	salt?: BytesLike;
}
export interface TypedDataField {
	name: string;
	type: string;
}
interface ExternallyOwnedAccount {
	readonly address: string;
	readonly privateKey: string;
}
interface TypedDataSigner {
	_signTypedData(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>): Promise<string>;
}
export declare abstract class Signer {
	readonly provider?: Provider;
	abstract getAddress(): Promise<string>;
	abstract signMessage(message: Bytes | string): Promise<string>;
	abstract signTransaction(transaction: Deferrable<TransactionRequest>): Promise<string>;
	abstract connect(provider: Provider): Signer;
	readonly _isSigner: boolean;
	constructor();
	getBalance(blockTag?: BlockTag): Promise<BigNumber>;
	getTransactionCount(blockTag?: BlockTag): Promise<number>;
	estimateGas(transaction: Deferrable<TransactionRequest>): Promise<BigNumber>;
	call(transaction: Deferrable<TransactionRequest>, blockTag?: BlockTag): Promise<string>;
	sendTransaction(transaction: Deferrable<TransactionRequest>): Promise<TransactionResponse>;
	getChainId(): Promise<number>;
	getGasPrice(): Promise<BigNumber>;
	getFeeData(): Promise<FeeData>;
	resolveName(name: string): Promise<string>;
	checkTransaction(transaction: Deferrable<TransactionRequest>): Deferrable<TransactionRequest>;
	populateTransaction(transaction: Deferrable<TransactionRequest>): Promise<TransactionRequest>;
	_checkProvider(operation?: string): void;
	static isSigner(value: any): value is Signer;
}
export declare class VoidSigner extends Signer implements TypedDataSigner {
	readonly address: string;
	constructor(address: string, provider?: Provider);
	getAddress(): Promise<string>;
	_fail(message: string, operation: string): Promise<any>;
	signMessage(message: Bytes | string): Promise<string>;
	signTransaction(transaction: Deferrable<TransactionRequest>): Promise<string>;
	_signTypedData(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>): Promise<string>;
	connect(provider: Provider): VoidSigner;
}
export interface Overrides {
	gasLimit?: BigNumberish | Promise<BigNumberish>;
	gasPrice?: BigNumberish | Promise<BigNumberish>;
	maxFeePerGas?: BigNumberish | Promise<BigNumberish>;
	maxPriorityFeePerGas?: BigNumberish | Promise<BigNumberish>;
	nonce?: BigNumberish | Promise<BigNumberish>;
	type?: number;
	accessList?: AccessListish;
	customData?: Record<string, any>;
	ccipReadEnabled?: boolean;
}
export interface PayableOverrides extends Overrides {
	value?: BigNumberish | Promise<BigNumberish>;
}
export interface CallOverrides extends PayableOverrides {
	blockTag?: BlockTag | Promise<BlockTag>;
	from?: string | Promise<string>;
}
export interface PopulatedTransaction {
	to?: string;
	from?: string;
	nonce?: number;
	gasLimit?: BigNumber;
	gasPrice?: BigNumber;
	data?: string;
	value?: BigNumber;
	chainId?: number;
	type?: number;
	accessList?: AccessList;
	maxFeePerGas?: BigNumber;
	maxPriorityFeePerGas?: BigNumber;
	customData?: Record<string, any>;
	ccipReadEnabled?: boolean;
}
declare type EventFilter$1 = {
	address?: string;
	topics?: Array<string | Array<string>>;
};
export declare type ContractFunction<T = any> = (...args: Array<any>) => Promise<T>;
interface Event$1 extends Log {
	event?: string;
	eventSignature?: string;
	args?: Result;
	decodeError?: Error;
	decode?: (data: string, topics?: Array<string>) => any;
	removeListener: () => void;
	getBlock: () => Promise<Block>;
	getTransaction: () => Promise<TransactionResponse>;
	getTransactionReceipt: () => Promise<TransactionReceipt>;
}
export interface ContractReceipt extends TransactionReceipt {
	events?: Array<Event$1>;
}
export interface ContractTransaction extends TransactionResponse {
	wait(confirmations?: number): Promise<ContractReceipt>;
}
declare class RunningEvent {
	readonly tag: string;
	readonly filter: EventFilter$1;
	private _listeners;
	constructor(tag: string, filter: EventFilter$1);
	addListener(listener: Listener, once: boolean): void;
	removeListener(listener: Listener): void;
	removeAllListeners(): void;
	listeners(): Array<Listener>;
	listenerCount(): number;
	run(args: Array<any>): number;
	prepareEvent(event: Event$1): void;
	getEmit(event: Event$1): Array<any>;
}
export declare type ContractInterface = string | ReadonlyArray<Fragment | JsonFragment | string> | Interface;
export declare class BaseContract {
	readonly address: string;
	readonly interface: Interface;
	readonly signer: Signer;
	readonly provider: Provider;
	readonly functions: {
		[name: string]: ContractFunction;
	};
	readonly callStatic: {
		[name: string]: ContractFunction;
	};
	readonly estimateGas: {
		[name: string]: ContractFunction<BigNumber>;
	};
	readonly populateTransaction: {
		[name: string]: ContractFunction<PopulatedTransaction>;
	};
	readonly filters: {
		[name: string]: (...args: Array<any>) => EventFilter$1;
	};
	readonly resolvedAddress: Promise<string>;
	readonly deployTransaction: TransactionResponse;
	_deployedPromise: Promise<Contract>;
	_runningEvents: {
		[eventTag: string]: RunningEvent;
	};
	_wrappedEmits: {
		[eventTag: string]: (...args: Array<any>) => void;
	};
	constructor(addressOrName: string, contractInterface: ContractInterface, signerOrProvider?: Signer | Provider);
	static getContractAddress(transaction: {
		from: string;
		nonce: BigNumberish;
	}): string;
	static getInterface(contractInterface: ContractInterface): Interface;
	deployed(): Promise<Contract>;
	_deployed(blockTag?: BlockTag): Promise<Contract>;
	fallback(overrides?: TransactionRequest): Promise<TransactionResponse>;
	connect(signerOrProvider: Signer | Provider | string): Contract;
	attach(addressOrName: string): Contract;
	static isIndexed(value: any): value is Indexed;
	private _normalizeRunningEvent;
	private _getRunningEvent;
	_checkRunningEvents(runningEvent: RunningEvent): void;
	_wrapEvent(runningEvent: RunningEvent, log: Log, listener: Listener): Event$1;
	private _addEventListener;
	queryFilter(event: EventFilter$1 | string, fromBlockOrBlockhash?: BlockTag | string, toBlock?: BlockTag): Promise<Array<Event$1>>;
	on(event: EventFilter$1 | string, listener: Listener): this;
	once(event: EventFilter$1 | string, listener: Listener): this;
	emit(eventName: EventFilter$1 | string, ...args: Array<any>): boolean;
	listenerCount(eventName?: EventFilter$1 | string): number;
	listeners(eventName?: EventFilter$1 | string): Array<Listener>;
	removeAllListeners(eventName?: EventFilter$1 | string): this;
	off(eventName: EventFilter$1 | string, listener: Listener): this;
	removeListener(eventName: EventFilter$1 | string, listener: Listener): this;
}
export declare class Contract extends BaseContract {
	readonly [key: string]: ContractFunction | any;
}
export declare class ContractFactory {
	readonly interface: Interface;
	readonly bytecode: string;
	readonly signer: Signer;
	constructor(contractInterface: ContractInterface, bytecode: BytesLike | {
		object: string;
	}, signer?: Signer);
	getDeployTransaction(...args: Array<any>): TransactionRequest;
	deploy(...args: Array<any>): Promise<Contract>;
	attach(address: string): Contract;
	connect(signer: Signer): ContractFactory;
	static fromSolidity(compilerOutput: any, signer?: Signer): ContractFactory;
	static getInterface(contractInterface: ContractInterface): Interface;
	static getContractAddress(tx: {
		from: string;
		nonce: BytesLike | BigNumber | number;
	}): string;
	static getContract(address: string, contractInterface: ContractInterface, signer?: Signer): Contract;
}
declare enum LogLevel {
	DEBUG = "DEBUG",
	INFO = "INFO",
	WARNING = "WARNING",
	ERROR = "ERROR",
	OFF = "OFF"
}
declare enum ErrorCode {
	UNKNOWN_ERROR = "UNKNOWN_ERROR",
	NOT_IMPLEMENTED = "NOT_IMPLEMENTED",
	UNSUPPORTED_OPERATION = "UNSUPPORTED_OPERATION",
	NETWORK_ERROR = "NETWORK_ERROR",
	SERVER_ERROR = "SERVER_ERROR",
	TIMEOUT = "TIMEOUT",
	BUFFER_OVERRUN = "BUFFER_OVERRUN",
	NUMERIC_FAULT = "NUMERIC_FAULT",
	MISSING_NEW = "MISSING_NEW",
	INVALID_ARGUMENT = "INVALID_ARGUMENT",
	MISSING_ARGUMENT = "MISSING_ARGUMENT",
	UNEXPECTED_ARGUMENT = "UNEXPECTED_ARGUMENT",
	CALL_EXCEPTION = "CALL_EXCEPTION",
	INSUFFICIENT_FUNDS = "INSUFFICIENT_FUNDS",
	NONCE_EXPIRED = "NONCE_EXPIRED",
	REPLACEMENT_UNDERPRICED = "REPLACEMENT_UNDERPRICED",
	UNPREDICTABLE_GAS_LIMIT = "UNPREDICTABLE_GAS_LIMIT",
	TRANSACTION_REPLACED = "TRANSACTION_REPLACED",
	ACTION_REJECTED = "ACTION_REJECTED"
}
declare class Logger {
	readonly version: string;
	static errors: typeof ErrorCode;
	static levels: typeof LogLevel;
	constructor(version: string);
	_log(logLevel: LogLevel, args: Array<any>): void;
	debug(...args: Array<any>): void;
	info(...args: Array<any>): void;
	warn(...args: Array<any>): void;
	makeError(message: string, code?: ErrorCode, params?: any): Error;
	throwError(message: string, code?: ErrorCode, params?: any): never;
	throwArgumentError(message: string, name: string, value: any): never;
	assert(condition: any, message: string, code?: ErrorCode, params?: any): void;
	assertArgument(condition: any, message: string, name: string, value: any): void;
	checkNormalize(message?: string): void;
	checkSafeUint53(value: number, message?: string): void;
	checkArgumentCount(count: number, expectedCount: number, message?: string): void;
	checkNew(target: any, kind: any): void;
	checkAbstract(target: any, kind: any): void;
	static globalLogger(): Logger;
	static setCensorship(censorship: boolean, permanent?: boolean): void;
	static setLogLevel(logLevel: LogLevel): void;
	static from(version: string): Logger;
}
export declare abstract class Wordlist {
	readonly locale: string;
	constructor(locale: string);
	abstract getWord(index: number): string;
	abstract getWordIndex(word: string): number;
	split(mnemonic: string): Array<string>;
	join(words: Array<string>): string;
	static check(wordlist: Wordlist): string;
	static register(lang: Wordlist, name?: string): void;
}
export declare const wordlists: {
	[locale: string]: Wordlist;
};
declare const defaultPath = "m/44'/60'/0'/0/0";
interface Mnemonic {
	readonly phrase: string;
	readonly path: string;
	readonly locale: string;
}
declare class HDNode implements ExternallyOwnedAccount {
	readonly privateKey: string;
	readonly publicKey: string;
	readonly fingerprint: string;
	readonly parentFingerprint: string;
	readonly address: string;
	readonly mnemonic?: Mnemonic;
	readonly path: string;
	readonly chainCode: string;
	readonly index: number;
	readonly depth: number;
	/**
	 *  This constructor should not be called directly.
	 *
	 *  Please use:
	 *   - fromMnemonic
	 *   - fromSeed
	 */
	constructor(constructorGuard: any, privateKey: string, publicKey: string, parentFingerprint: string, chainCode: string, index: number, depth: number, mnemonicOrPath: Mnemonic | string);
	get extendedKey(): string;
	neuter(): HDNode;
	private _derive;
	derivePath(path: string): HDNode;
	static _fromSeed(seed: BytesLike, mnemonic: Mnemonic): HDNode;
	static fromMnemonic(mnemonic: string, password?: string, wordlist?: string | Wordlist): HDNode;
	static fromSeed(seed: BytesLike): HDNode;
	static fromExtendedKey(extendedKey: string): HDNode;
}
declare function mnemonicToSeed(mnemonic: string, password?: string): string;
declare function mnemonicToEntropy(mnemonic: string, wordlist?: string | Wordlist): string;
declare function entropyToMnemonic(entropy: BytesLike, wordlist?: string | Wordlist): string;
declare function isValidMnemonic(mnemonic: string, wordlist?: Wordlist): boolean;
declare function getAccountPath(index: number): string;
declare class SigningKey {
	readonly curve: string;
	readonly privateKey: string;
	readonly publicKey: string;
	readonly compressedPublicKey: string;
	readonly _isSigningKey: boolean;
	constructor(privateKey: BytesLike);
	_addPoint(other: BytesLike): string;
	signDigest(digest: BytesLike): Signature;
	computeSharedSecret(otherKey: BytesLike): string;
	static isSigningKey(value: any): value is SigningKey;
}
declare function recoverPublicKey(digest: BytesLike, signature: SignatureLike): string;
declare function computePublicKey(key: BytesLike, compressed?: boolean): string;
declare function getJsonWalletAddress(json: string): string;
declare type ProgressCallback = (percent: number) => void;
declare type EncryptOptions = {
	iv?: BytesLike;
	entropy?: BytesLike;
	client?: string;
	salt?: BytesLike;
	uuid?: string;
	scrypt?: {
		N?: number;
		r?: number;
		p?: number;
	};
};
export declare class Wallet extends Signer implements ExternallyOwnedAccount, TypedDataSigner {
	readonly address: string;
	readonly provider: Provider;
	readonly _signingKey: () => SigningKey;
	readonly _mnemonic: () => Mnemonic;
	constructor(privateKey: BytesLike | ExternallyOwnedAccount | SigningKey, provider?: Provider);
	get mnemonic(): Mnemonic;
	get privateKey(): string;
	get publicKey(): string;
	getAddress(): Promise<string>;
	connect(provider: Provider): Wallet;
	signTransaction(transaction: TransactionRequest): Promise<string>;
	signMessage(message: Bytes | string): Promise<string>;
	_signTypedData(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>): Promise<string>;
	encrypt(password: Bytes | string, options?: any, progressCallback?: ProgressCallback): Promise<string>;
	/**
	 *  Static methods to create Wallet instances.
	 */
	static createRandom(options?: any): Wallet;
	static fromEncryptedJson(json: string, password: Bytes | string, progressCallback?: ProgressCallback): Promise<Wallet>;
	static fromEncryptedJsonSync(json: string, password: Bytes | string): Wallet;
	static fromMnemonic(mnemonic: string, path?: string, wordlist?: Wordlist): Wallet;
}
declare function verifyMessage(message: Bytes | string, signature: SignatureLike): string;
declare function verifyTypedData(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>, signature: SignatureLike): string;
declare const AddressZero = "0x0000000000000000000000000000000000000000";
declare const NegativeOne: BigNumber;
declare const Zero: BigNumber;
declare const One: BigNumber;
declare const Two: BigNumber;
declare const WeiPerEther: BigNumber;
declare const MaxUint256: BigNumber;
declare const MinInt256: BigNumber;
declare const MaxInt256: BigNumber;
declare const HashZero = "0x0000000000000000000000000000000000000000000000000000000000000000";
declare const EtherSymbol = "\u039E";
declare type FormatFunc = (value: any) => any;
declare type FormatFuncs = {
	[key: string]: FormatFunc;
};
declare type Formats = {
	transaction: FormatFuncs;
	transactionRequest: FormatFuncs;
	receipt: FormatFuncs;
	receiptLog: FormatFuncs;
	block: FormatFuncs;
	blockWithTransactions: FormatFuncs;
	filter: FormatFuncs;
	filterLog: FormatFuncs;
};
declare class Formatter {
	readonly formats: Formats;
	constructor();
	getDefaultFormats(): Formats;
	accessList(accessList: Array<any>): AccessList;
	number(number: any): number;
	type(number: any): number;
	bigNumber(value: any): BigNumber;
	boolean(value: any): boolean;
	hex(value: any, strict?: boolean): string;
	data(value: any, strict?: boolean): string;
	address(value: any): string;
	callAddress(value: any): string;
	contractAddress(value: any): string;
	blockTag(blockTag: any): string;
	hash(value: any, strict?: boolean): string;
	difficulty(value: any): number;
	uint256(value: any): string;
	_block(value: any, format: any): Block;
	block(value: any): Block;
	blockWithTransactions(value: any): Block;
	transactionRequest(value: any): any;
	transactionResponse(transaction: any): TransactionResponse;
	transaction(value: any): any;
	receiptLog(value: any): any;
	receipt(value: any): TransactionReceipt;
	topics(value: any): any;
	filter(value: any): any;
	filterLog(value: any): any;
	static check(format: {
		[name: string]: FormatFunc;
	}, object: any): any;
	static allowNull(format: FormatFunc, nullValue?: any): FormatFunc;
	static allowFalsish(format: FormatFunc, replaceValue: any): FormatFunc;
	static arrayOf(format: FormatFunc): FormatFunc;
}
interface CommunityResourcable {
	isCommunityResource(): boolean;
}
declare function isCommunityResourcable(value: any): value is CommunityResourcable;
declare function isCommunityResource(value: any): boolean;
declare function showThrottleMessage(): void;
declare class PolledEvent {
	readonly listener: Listener;
	readonly once: boolean;
	readonly tag: string;
	_lastBlockNumber: number;
	_inflight: boolean;
	constructor(tag: string, listener: Listener, once: boolean);
	get event(): EventType;
	get type(): string;
	get hash(): string;
	get filter(): Filter;
	pollable(): boolean;
}
interface EnsResolver {
	readonly name: string;
	readonly address: string;
	getAddress(coinType?: 60): Promise<null | string>;
	getContentHash(): Promise<null | string>;
	getText(key: string): Promise<null | string>;
}
interface EnsProvider {
	resolveName(name: string): Promise<null | string>;
	lookupAddress(address: string): Promise<null | string>;
	getResolver(name: string): Promise<null | EnsResolver>;
}
interface Avatar {
	url: string;
	linkage: Array<{
		type: string;
		content: string;
	}>;
}
declare class Resolver implements EnsResolver {
	readonly provider: BaseProvider;
	readonly name: string;
	readonly address: string;
	readonly _resolvedAddress: null | string;
	_supportsEip2544: null | Promise<boolean>;
	constructor(provider: BaseProvider, address: string, name: string, resolvedAddress?: string);
	supportsWildcard(): Promise<boolean>;
	_fetch(selector: string, parameters?: string): Promise<null | string>;
	_fetchBytes(selector: string, parameters?: string): Promise<null | string>;
	_getAddress(coinType: number, hexBytes: string): string;
	getAddress(coinType?: number): Promise<string>;
	getAvatar(): Promise<null | Avatar>;
	getContentHash(): Promise<string>;
	getText(key: string): Promise<string>;
}
declare class BaseProvider extends Provider implements EnsProvider {
	_networkPromise: Promise<Network>;
	_network: Network;
	_events: Array<PolledEvent>;
	formatter: Formatter;
	_emitted: {
		[eventName: string]: number | "pending";
	};
	_pollingInterval: number;
	_poller: unknown;
	_bootstrapPoll: unknown;
	_lastBlockNumber: number;
	_maxFilterBlockRange: number;
	_fastBlockNumber: number;
	_fastBlockNumberPromise: Promise<number>;
	_fastQueryDate: number;
	_maxInternalBlockNumber: number;
	_internalBlockNumber: Promise<{
		blockNumber: number;
		reqTime: number;
		respTime: number;
	}>;
	readonly anyNetwork: boolean;
	disableCcipRead: boolean;
	/**
	 *  ready
	 *
	 *  A Promise<Network> that resolves only once the provider is ready.
	 *
	 *  Sub-classes that call the super with a network without a chainId
	 *  MUST set this. Standard named networks have a known chainId.
	 *
	 */
	constructor(network: Networkish | Promise<Network>);
	_ready(): Promise<Network>;
	get ready(): Promise<Network>;
	static getFormatter(): Formatter;
	static getNetwork(network: Networkish): Network;
	ccipReadFetch(tx: Transaction, calldata: string, urls: Array<string>): Promise<null | string>;
	_getInternalBlockNumber(maxAge: number): Promise<number>;
	poll(): Promise<void>;
	resetEventsBlock(blockNumber: number): void;
	get network(): Network;
	detectNetwork(): Promise<Network>;
	getNetwork(): Promise<Network>;
	get blockNumber(): number;
	get polling(): boolean;
	set polling(value: boolean);
	get pollingInterval(): number;
	set pollingInterval(value: number);
	_getFastBlockNumber(): Promise<number>;
	_setFastBlockNumber(blockNumber: number): void;
	waitForTransaction(transactionHash: string, confirmations?: number, timeout?: number): Promise<TransactionReceipt>;
	_waitForTransaction(transactionHash: string, confirmations: number, timeout: number, replaceable: {
		data: string;
		from: string;
		nonce: number;
		to: string;
		value: BigNumber;
		startBlock: number;
	}): Promise<TransactionReceipt>;
	getBlockNumber(): Promise<number>;
	getGasPrice(): Promise<BigNumber>;
	getBalance(addressOrName: string | Promise<string>, blockTag?: BlockTag | Promise<BlockTag>): Promise<BigNumber>;
	getTransactionCount(addressOrName: string | Promise<string>, blockTag?: BlockTag | Promise<BlockTag>): Promise<number>;
	getCode(addressOrName: string | Promise<string>, blockTag?: BlockTag | Promise<BlockTag>): Promise<string>;
	getStorageAt(addressOrName: string | Promise<string>, position: BigNumberish | Promise<BigNumberish>, blockTag?: BlockTag | Promise<BlockTag>): Promise<string>;
	_wrapTransaction(tx: Transaction, hash?: string, startBlock?: number): TransactionResponse;
	sendTransaction(signedTransaction: string | Promise<string>): Promise<TransactionResponse>;
	_getTransactionRequest(transaction: Deferrable<TransactionRequest>): Promise<Transaction>;
	_getFilter(filter: Filter | FilterByBlockHash | Promise<Filter | FilterByBlockHash>): Promise<Filter | FilterByBlockHash>;
	_call(transaction: TransactionRequest, blockTag: BlockTag, attempt: number): Promise<string>;
	call(transaction: Deferrable<TransactionRequest>, blockTag?: BlockTag | Promise<BlockTag>): Promise<string>;
	estimateGas(transaction: Deferrable<TransactionRequest>): Promise<BigNumber>;
	_getAddress(addressOrName: string | Promise<string>): Promise<string>;
	_getBlock(blockHashOrBlockTag: BlockTag | string | Promise<BlockTag | string>, includeTransactions?: boolean): Promise<Block | BlockWithTransactions>;
	getBlock(blockHashOrBlockTag: BlockTag | string | Promise<BlockTag | string>): Promise<Block>;
	getBlockWithTransactions(blockHashOrBlockTag: BlockTag | string | Promise<BlockTag | string>): Promise<BlockWithTransactions>;
	getTransaction(transactionHash: string | Promise<string>): Promise<TransactionResponse>;
	getTransactionReceipt(transactionHash: string | Promise<string>): Promise<TransactionReceipt>;
	getLogs(filter: Filter | FilterByBlockHash | Promise<Filter | FilterByBlockHash>): Promise<Array<Log>>;
	getEtherPrice(): Promise<number>;
	_getBlockTag(blockTag: BlockTag | Promise<BlockTag>): Promise<BlockTag>;
	getResolver(name: string): Promise<null | Resolver>;
	_getResolver(name: string, operation?: string): Promise<string>;
	resolveName(name: string | Promise<string>): Promise<null | string>;
	lookupAddress(address: string | Promise<string>): Promise<null | string>;
	getAvatar(nameOrAddress: string): Promise<null | string>;
	perform(method: string, params: any): Promise<any>;
	_startEvent(event: PolledEvent): void;
	_stopEvent(event: PolledEvent): void;
	_addEventListener(eventName: EventType, listener: Listener, once: boolean): this;
	on(eventName: EventType, listener: Listener): this;
	once(eventName: EventType, listener: Listener): this;
	emit(eventName: EventType, ...args: Array<any>): boolean;
	listenerCount(eventName?: EventType): number;
	listeners(eventName?: EventType): Array<Listener>;
	off(eventName: EventType, listener?: Listener): this;
	removeAllListeners(eventName?: EventType): this;
}
declare class JsonRpcSigner extends Signer implements TypedDataSigner {
	readonly provider: JsonRpcProvider;
	_index: number;
	_address: string;
	constructor(constructorGuard: any, provider: JsonRpcProvider, addressOrIndex?: string | number);
	connect(provider: Provider): JsonRpcSigner;
	connectUnchecked(): JsonRpcSigner;
	getAddress(): Promise<string>;
	sendUncheckedTransaction(transaction: Deferrable<TransactionRequest>): Promise<string>;
	signTransaction(transaction: Deferrable<TransactionRequest>): Promise<string>;
	sendTransaction(transaction: Deferrable<TransactionRequest>): Promise<TransactionResponse>;
	signMessage(message: Bytes | string): Promise<string>;
	_legacySignMessage(message: Bytes | string): Promise<string>;
	_signTypedData(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>): Promise<string>;
	unlock(password: string): Promise<boolean>;
}
declare class UncheckedJsonRpcSigner extends JsonRpcSigner {
	sendTransaction(transaction: Deferrable<TransactionRequest>): Promise<TransactionResponse>;
}
declare class JsonRpcProvider extends BaseProvider {
	readonly connection: ConnectionInfo;
	_pendingFilter: Promise<number>;
	_nextId: number;
	_eventLoopCache: Record<string, Promise<any>>;
	get _cache(): Record<string, Promise<any>>;
	constructor(url?: ConnectionInfo | string, network?: Networkish);
	static defaultUrl(): string;
	detectNetwork(): Promise<Network>;
	_uncachedDetectNetwork(): Promise<Network>;
	getSigner(addressOrIndex?: string | number): JsonRpcSigner;
	getUncheckedSigner(addressOrIndex?: string | number): UncheckedJsonRpcSigner;
	listAccounts(): Promise<Array<string>>;
	send(method: string, params: Array<any>): Promise<any>;
	prepareRequest(method: string, params: any): [
		string,
		Array<any>
	];
	perform(method: string, params: any): Promise<any>;
	_startEvent(event: PolledEvent): void;
	_startPending(): void;
	_stopEvent(event: PolledEvent): void;
	static hexlifyTransaction(transaction: TransactionRequest, allowExtra?: {
		[key: string]: boolean;
	}): {
		[key: string]: string | AccessList;
	};
}
declare type InflightRequest = {
	callback: (error: Error, result: any) => void;
	payload: string;
};
declare type Subscription = {
	tag: string;
	processFunc: (payload: any) => void;
};
interface WebSocketLike {
	onopen: ((...args: Array<any>) => any) | null;
	onmessage: ((...args: Array<any>) => any) | null;
	onerror: ((...args: Array<any>) => any) | null;
	readyState: number;
	send(payload: any): void;
	close(code?: number, reason?: string): void;
}
declare class WebSocketProvider extends JsonRpcProvider {
	readonly _websocket: any;
	readonly _requests: {
		[name: string]: InflightRequest;
	};
	readonly _detectNetwork: Promise<Network>;
	readonly _subIds: {
		[tag: string]: Promise<string>;
	};
	readonly _subs: {
		[name: string]: Subscription;
	};
	_wsReady: boolean;
	constructor(url: string | WebSocketLike, network?: Networkish);
	get websocket(): WebSocketLike;
	detectNetwork(): Promise<Network>;
	get pollingInterval(): number;
	resetEventsBlock(blockNumber: number): void;
	set pollingInterval(value: number);
	poll(): Promise<void>;
	set polling(value: boolean);
	send(method: string, params?: Array<any>): Promise<any>;
	static defaultUrl(): string;
	_subscribe(tag: string, param: Array<any>, processFunc: (result: any) => void): Promise<void>;
	_startEvent(event: PolledEvent): void;
	_stopEvent(event: PolledEvent): void;
	destroy(): Promise<void>;
}
declare class StaticJsonRpcProvider extends JsonRpcProvider {
	detectNetwork(): Promise<Network>;
}
declare abstract class UrlJsonRpcProvider extends StaticJsonRpcProvider implements CommunityResourcable {
	readonly apiKey: any;
	constructor(network?: Networkish, apiKey?: any);
	_startPending(): void;
	isCommunityResource(): boolean;
	getSigner(address?: string): JsonRpcSigner;
	listAccounts(): Promise<Array<string>>;
	static getApiKey(apiKey: any): any;
	static getUrl(network: Network, apiKey: any): string | ConnectionInfo;
}
declare class AlchemyWebSocketProvider extends WebSocketProvider implements CommunityResourcable {
	readonly apiKey: string;
	constructor(network?: Networkish, apiKey?: any);
	isCommunityResource(): boolean;
}
declare class AlchemyProvider extends UrlJsonRpcProvider {
	static getWebSocketProvider(network?: Networkish, apiKey?: any): AlchemyWebSocketProvider;
	static getApiKey(apiKey: any): any;
	static getUrl(network: Network, apiKey: string): ConnectionInfo;
	isCommunityResource(): boolean;
}
declare class AnkrProvider extends UrlJsonRpcProvider {
	readonly apiKey: string;
	isCommunityResource(): boolean;
	static getApiKey(apiKey: any): any;
	static getUrl(network: Network, apiKey: any): ConnectionInfo;
}
declare class CloudflareProvider extends UrlJsonRpcProvider {
	static getApiKey(apiKey: any): any;
	static getUrl(network: Network, apiKey?: any): string;
	perform(method: string, params: any): Promise<any>;
}
declare class EtherscanProvider extends BaseProvider {
	readonly baseUrl: string;
	readonly apiKey: string | null;
	constructor(network?: Networkish, apiKey?: string);
	getBaseUrl(): string;
	getUrl(module: string, params: Record<string, string>): string;
	getPostUrl(): string;
	getPostData(module: string, params: Record<string, any>): Record<string, any>;
	fetch(module: string, params: Record<string, any>, post?: boolean): Promise<any>;
	detectNetwork(): Promise<Network>;
	perform(method: string, params: any): Promise<any>;
	getHistory(addressOrName: string | Promise<string>, startBlock?: BlockTag, endBlock?: BlockTag): Promise<Array<TransactionResponse>>;
	isCommunityResource(): boolean;
}
interface FallbackProviderConfig {
	provider: Provider;
	priority?: number;
	stallTimeout?: number;
	weight?: number;
}
declare class FallbackProvider extends BaseProvider {
	readonly providerConfigs: ReadonlyArray<FallbackProviderConfig>;
	readonly quorum: number;
	_highestBlockNumber: number;
	constructor(providers: Array<Provider | FallbackProviderConfig>, quorum?: number);
	detectNetwork(): Promise<Network>;
	perform(method: string, params: {
		[name: string]: any;
	}): Promise<any>;
}
declare const IpcProvider: null;
declare class InfuraWebSocketProvider extends WebSocketProvider implements CommunityResourcable {
	readonly apiKey: string;
	readonly projectId: string;
	readonly projectSecret: string;
	constructor(network?: Networkish, apiKey?: any);
	isCommunityResource(): boolean;
}
declare class InfuraProvider extends UrlJsonRpcProvider {
	readonly projectId: string;
	readonly projectSecret: string;
	static getWebSocketProvider(network?: Networkish, apiKey?: any): InfuraWebSocketProvider;
	static getApiKey(apiKey: any): any;
	static getUrl(network: Network, apiKey: any): ConnectionInfo;
	isCommunityResource(): boolean;
}
declare class JsonRpcBatchProvider extends JsonRpcProvider {
	_pendingBatchAggregator: unknown;
	_pendingBatch: Array<{
		request: {
			method: string;
			params: Array<any>;
			id: number;
			jsonrpc: "2.0";
		};
		resolve: (result: any) => void;
		reject: (error: Error) => void;
	}>;
	send(method: string, params: Array<any>): Promise<any>;
}
declare class NodesmithProvider extends UrlJsonRpcProvider {
	static getApiKey(apiKey: any): any;
	static getUrl(network: Network, apiKey?: any): string;
}
declare class PocketProvider extends UrlJsonRpcProvider {
	readonly applicationId: string;
	readonly applicationSecretKey: string;
	readonly loadBalancer: boolean;
	static getApiKey(apiKey: any): any;
	static getUrl(network: Network, apiKey: any): ConnectionInfo;
	isCommunityResource(): boolean;
}
declare class QuickNodeProvider extends UrlJsonRpcProvider {
	static getApiKey(apiKey: any): any;
	static getUrl(network: Network, apiKey?: any): string;
}
declare type ExternalProvider = {
	isMetaMask?: boolean;
	isStatus?: boolean;
	host?: string;
	path?: string;
	sendAsync?: (request: {
		method: string;
		params?: Array<any>;
	}, callback: (error: any, response: any) => void) => void;
	send?: (request: {
		method: string;
		params?: Array<any>;
	}, callback: (error: any, response: any) => void) => void;
	request?: (request: {
		method: string;
		params?: Array<any>;
	}) => Promise<any>;
};
declare type JsonRpcFetchFunc = (method: string, params?: Array<any>) => Promise<any>;
declare class Web3Provider extends JsonRpcProvider {
	readonly provider: ExternalProvider;
	readonly jsonRpcFetchFunc: JsonRpcFetchFunc;
	constructor(provider: ExternalProvider | JsonRpcFetchFunc, network?: Networkish);
	send(method: string, params: Array<any>): Promise<any>;
}
export declare function getDefaultProvider(network?: Networkish, options?: any): BaseProvider;
declare function getAddress(address: string): string;
declare function isAddress(address: string): boolean;
declare function getIcapAddress(address: string): string;
declare function getContractAddress(transaction: {
	from: string;
	nonce: BigNumberish;
}): string;
declare function getCreate2Address(from: string, salt: BytesLike, initCodeHash: BytesLike): string;
declare function decode(textData: string): Uint8Array;
declare function encode(data: BytesLike): string;
declare class BaseX {
	readonly alphabet: string;
	readonly base: number;
	_alphabetMap: {
		[character: string]: number;
	};
	_leader: string;
	constructor(alphabet: string);
	encode(value: BytesLike): string;
	decode(value: string): Uint8Array;
}
declare const Base58: BaseX;
declare function id(text: string): string;
declare function isValidName(name: string): boolean;
declare function namehash(name: string): string;
declare function dnsEncode(name: string): string;
declare function hashMessage(message: Bytes | string): string;
declare class TypedDataEncoder {
	readonly primaryType: string;
	readonly types: Record<string, Array<TypedDataField>>;
	readonly _encoderCache: Record<string, (value: any) => string>;
	readonly _types: Record<string, string>;
	constructor(types: Record<string, Array<TypedDataField>>);
	getEncoder(type: string): (value: any) => string;
	_getEncoder(type: string): (value: any) => string;
	encodeType(name: string): string;
	encodeData(type: string, value: any): string;
	hashStruct(name: string, value: Record<string, any>): string;
	encode(value: Record<string, any>): string;
	hash(value: Record<string, any>): string;
	_visit(type: string, value: any, callback: (type: string, data: any) => any): any;
	visit(value: Record<string, any>, callback: (type: string, data: any) => any): any;
	static from(types: Record<string, Array<TypedDataField>>): TypedDataEncoder;
	static getPrimaryType(types: Record<string, Array<TypedDataField>>): string;
	static hashStruct(name: string, types: Record<string, Array<TypedDataField>>, value: Record<string, any>): string;
	static hashDomain(domain: TypedDataDomain): string;
	static encode(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>): string;
	static hash(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>): string;
	static resolveNames(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>, resolveName: (name: string) => Promise<string>): Promise<{
		domain: TypedDataDomain;
		value: any;
	}>;
	static getPayload(domain: TypedDataDomain, types: Record<string, Array<TypedDataField>>, value: Record<string, any>): any;
}
declare function keccak256(data: BytesLike): string;
declare enum SupportedAlgorithm {
	sha256 = "sha256",
	sha512 = "sha512"
}
declare function ripemd160(data: BytesLike): string;
declare function sha256(data: BytesLike): string;
declare function sha512(data: BytesLike): string;
declare function computeHmac(algorithm: SupportedAlgorithm, key: BytesLike, data: BytesLike): string;
declare function pack(types: ReadonlyArray<string>, values: ReadonlyArray<any>): string;
declare function keccak256$1(types: ReadonlyArray<string>, values: ReadonlyArray<any>): string;
declare function sha256$1(types: ReadonlyArray<string>, values: ReadonlyArray<any>): string;
declare function randomBytes(length: number): Uint8Array;
declare function shuffled(array: Array<any>): Array<any>;
declare function encode$1(object: any): string;
declare function decode$1(data: BytesLike): any;
declare function formatBytes32String(text: string): string;
declare function parseBytes32String(bytes: BytesLike): string;
declare function nameprep(value: string): string;
declare enum UnicodeNormalizationForm {
	current = "",
	NFC = "NFC",
	NFD = "NFD",
	NFKC = "NFKC",
	NFKD = "NFKD"
}
declare enum Utf8ErrorReason {
	UNEXPECTED_CONTINUE = "unexpected continuation byte",
	BAD_PREFIX = "bad codepoint prefix",
	OVERRUN = "string overrun",
	MISSING_CONTINUE = "missing continuation byte",
	OUT_OF_RANGE = "out of UTF-8 range",
	UTF16_SURROGATE = "UTF-16 surrogate",
	OVERLONG = "overlong representation"
}
declare type Utf8ErrorFunc = (reason: Utf8ErrorReason, offset: number, bytes: ArrayLike<number>, output: Array<number>, badCodepoint?: number) => number;
declare const Utf8ErrorFuncs: {
	[name: string]: Utf8ErrorFunc;
};
declare function toUtf8Bytes(str: string, form?: UnicodeNormalizationForm): Uint8Array;
declare function _toEscapedUtf8String(bytes: BytesLike, onError?: Utf8ErrorFunc): string;
declare function toUtf8String(bytes: BytesLike, onError?: Utf8ErrorFunc): string;
declare function toUtf8CodePoints(str: string, form?: UnicodeNormalizationForm): Array<number>;
declare function commify(value: string | number): string;
declare function formatUnits(value: BigNumberish, unitName?: string | BigNumberish): string;
declare function parseUnits(value: string, unitName?: BigNumberish): BigNumber;
declare function formatEther(wei: BigNumberish): string;
declare function parseEther(ether: string): BigNumber;
export declare const version = "ethers/5.8.0";
export declare const logger: utils.Logger;

declare namespace RLP {
	export { decode$1 as decode, encode$1 as encode };
}
declare namespace base64 {
	export { decode, encode };
}
declare namespace utils {
	export { AbiCoder, AccessList, AccessListish, Base58 as base58, Bytes, BytesLike, CoerceFunc$1 as CoerceFunc, ConnectionInfo, ConstructorFragment, Deferrable, EncryptOptions, ErrorFragment, EventFragment, FetchJsonResponse, FormatTypes, Fragment, FunctionFragment, HDNode, Hexable, Indexed, Interface, LogDescription, Logger, Mnemonic, OnceBlockable, OncePollable, ParamType, PollOptions, ProgressCallback, RLP, Result, SigningKey, SupportedAlgorithm, TransactionDescription, TransactionTypes, TypedDataEncoder as _TypedDataEncoder, UnicodeNormalizationForm, UnsignedTransaction, Utf8ErrorFunc, Utf8ErrorFuncs, Utf8ErrorReason, _fetchData, _toEscapedUtf8String, accessListify, arrayify, base64, checkProperties, checkResultErrors, commify, computeAddress, computeHmac, computePublicKey, concat, deepCopy, defaultAbiCoder, defaultPath, defineReadOnly, dnsEncode, entropyToMnemonic, fetchJson, formatBytes32String, formatEther, formatUnits, getAccountPath, getAddress, getContractAddress, getCreate2Address, getIcapAddress, getJsonWalletAddress, getStatic, hashMessage, hexConcat, hexDataLength, hexDataSlice, hexStripZeros, hexValue, hexZeroPad, hexlify, id, isAddress, isBytes, isBytesLike, isHexString, isValidMnemonic, isValidName, joinSignature, keccak256, keccak256$1 as solidityKeccak256, mnemonicToEntropy, mnemonicToSeed, namehash, nameprep, pack as solidityPack, parse as parseTransaction, parseBytes32String, parseEther, parseUnits, poll, randomBytes, recoverAddress, recoverPublicKey, resolveProperties, ripemd160, serialize as serializeTransaction, sha256, sha256$1 as soliditySha256, sha512, shallowCopy, shuffled, splitSignature, stripZeros, toUtf8Bytes, toUtf8CodePoints, toUtf8String, verifyMessage, verifyTypedData, zeroPad };
}
declare namespace providers {
	export { AlchemyProvider, AlchemyWebSocketProvider, AnkrProvider, BaseProvider, Block, BlockTag, CloudflareProvider, CommunityResourcable, EnsProvider, EnsResolver, EtherscanProvider, EventType, ExternalProvider, FallbackProvider, FallbackProviderConfig, FeeData, Filter, Formatter, InfuraProvider, InfuraWebSocketProvider, IpcProvider, JsonRpcBatchProvider, JsonRpcFetchFunc, JsonRpcProvider, JsonRpcSigner, Listener, Log, Network, Networkish, NodesmithProvider, PocketProvider, Provider, QuickNodeProvider, Resolver, StaticJsonRpcProvider, TransactionReceipt, TransactionRequest, TransactionResponse, UrlJsonRpcProvider, Web3Provider, WebSocketProvider, getDefaultProvider, getNetwork, isCommunityResourcable, isCommunityResource, showThrottleMessage };
}
declare namespace constants {
	export { AddressZero, EtherSymbol, HashZero, MaxInt256, MaxUint256, MinInt256, NegativeOne, One, Two, WeiPerEther, Zero };
}

export {
	ErrorCode as errors,
	Event$1 as Event,
	EventFilter$1 as EventFilter,
	constants,
	providers,
	utils,
};

export {};
