/** A start in the directory model: verdict, setting aside, claim and fetch. */
import {
  bucketLog,
  dies,
  flushedOf,
  hasFault,
  isPrefix,
  isWhole,
  namesOf,
  newestOf,
  placeOf,
  spend,
  viewOf,
  withDirectory,
  withMachine,
  type BucketFile,
  type Claimant,
  type DirectoryState,
  type DirectoryStep,
  type Edit,
  type Entry,
  type LocalLog,
  type Owner,
  type Turn,
} from './directory-state.js';

/**
 * A start is refused if the directory has a database, the bucket has entries and BUCKET is missing;
 * also if the spine is empty, and the directory has no whole database.
 */
export function startSteps(turn: Turn<null>): DirectoryStep[] {
  const { state, name, machine } = turn;
  const { bucket, refs, wal } = machine.directory;
  if (state.left.claims === 0) return [];
  const stands = refs !== null || wal !== null;
  const isFirst = state.spine.length === 0;
  if (isFirst ? !stands || !(bucket === null || isWhole(bucket)) : bucket === null && stands) {
    return [];
  }
  const names = state.names + 1;
  const spent = { ...spend(state, 'claims'), names };
  return [compared({ ...turn, state: spent }, `${name}${names}`, `${name} starts`)];
}

/** C1 to C3 and the verdict. Between them nobody can change what they look at. */
function compared(turn: Turn<unknown>, nonce: string, label: string): DirectoryStep {
  const { state, name, machine, bounds } = turn;
  const number = state.spine.length + 1;
  const { epoch } = newestOf(state);
  let place = 1;
  while (typeof state.log[placeOf(epoch, place)] === 'object') place += 1;
  const seal = epoch === 0 ? {} : { [placeOf(epoch, place)]: 'seal' as const };
  const sealed = { ...state, log: { ...state.log, ...seal } };
  const continues = epoch === 0 || doesContinue(turn);
  const isNew = machine.directory.bucket?.stage === 'first';
  if (isNew && !continues && !hasFault(bounds, 'firstWins')) {
    return [`${label}, refused`, withMachine(turn, { process: null }, sealed)];
  }
  const process: Claimant = { kind: 'claimant', nonce, number, continues };
  const onBucket = bucketLog(state, epoch).records;
  const { directory } = machine;
  const isAlone = state.spine.every((entry) => entry.nonce.startsWith(name));
  const isOwn = isAlone && isWhole(directory.bucket) && bounds.copies === undefined;
  const hasTail = viewOf(directory).length > onBucket.length;
  const isLonger = hasTail && isPrefix(onBucket, viewOf(directory));
  const isBehind = isNew || (isOwn && isLonger && !bounds.twins && !bounds.replacements);
  const isWrong = !continues && isBehind;
  const met = isWrong ? ('own tail set aside' as const) : state.met;
  const verdict = continues ? 'continues' : 'the bucket wins';
  return [`${label}, ${verdict}`, withMachine(turn, { process }, { ...sealed, met })];
}

/** The verdict. */
function doesContinue({ state, machine, bounds }: Turn<unknown>): boolean {
  const { bucket, refs, wal } = machine.directory;
  if (bucket === null || !isWhole(bucket) || refs === null || wal === null) return false;
  const entry = newestOf(state);
  if (!hasFault(bounds, 'noNonce') && !bucket.nonces.includes(entry.nonce)) return false;
  const onBucket = bucketLog(state, entry.epoch).records;
  const last = Math.max(flushedOf(refs).length, wal.from + wal.records.length);
  if (!hasFault(bounds, 'noSequence') && last < onBucket.length) return false;
  if (!hasFault(bounds, 'noBytes') && !hasEqualBytes(wal, onBucket, entry)) return false;
  return hasFault(bounds, 'noRefs') || hasEntry(refs, entry, hasFault(bounds, 'equalEdit'));
}

/** REFS of the entry is a prefix, or REFS was replaced, and has a later edit. */
function hasEntry(refs: readonly Edit[], { edits }: Entry, isEqualEnough: boolean): boolean {
  if (isPrefix(namesOf(edits), namesOf(refs))) return true;
  const there = editsOf(edits);
  const here = editsOf(refs);
  if (!here.includes(there.at(-1) ?? '')) return false;
  return here.length > there.length || (isEqualEnough && here.length === there.length);
}

const editsOf = (edits: readonly Edit[]): string[] =>
  namesOf(edits).filter((name) => name.startsWith('E'));

/** Groups below the floor are not looked at, nor are records that no longer stand. */
function hasEqualBytes({ from, records }: LocalLog, onBucket: readonly string[], entry: Entry) {
  const floor = flushedOf(entry.edits).length;
  return records.every((record, at) => {
    const there = onBucket[from + at];
    return from + at < floor || there === undefined || there === record;
  });
}

export function claimantSteps(turn: Turn<Claimant>): DirectoryStep[] {
  const { machine, bounds } = turn;
  const { continues } = machine.process;
  const isBehind = hasFault(bounds, 'asideBehindClaim') && isWhole(machine.directory.bucket);
  const step = continues || isBehind ? noteNonce(turn) : setAsideStep(turn);
  return step === null ? claimSteps(turn) : [step];
}

const written = (turn: Turn<unknown>, bucket: BucketFile): DirectoryStep => [
  `${turn.name} writes BUCKET, ${bucket.stage}`,
  withDirectory(turn, { bucket }),
];

function withNonce({ machine, bounds }: Turn<Claimant | Owner>): readonly string[] {
  const { nonce } = machine.process;
  const nonces = machine.directory.bucket?.nonces ?? [];
  if (nonces.includes(nonce)) return nonces;
  return hasFault(bounds, 'shortList') ? [nonce] : [...nonces, nonce];
}

/** Null: BUCKET has the nonce. */
function noteNonce(turn: Turn<Claimant>): DirectoryStep | null {
  const { bucket } = turn.machine.directory;
  const nonces = withNonce(turn);
  if (bucket === null) return written(turn, { stage: 'first', nonces });
  if (bucket.nonces === nonces || hasFault(turn.bounds, 'bucketBehindClaim')) return null;
  return written(turn, { stage: bucket.stage, nonces });
}

/** The next step of setting aside. Null: all is aside, and BUCKET has the nonce. */
function setAsideStep(turn: Turn<Claimant | Owner>): DirectoryStep | null {
  const { machine, bounds } = turn;
  const { bucket, refs, wal } = machine.directory;
  const isOneStage = hasFault(bounds, 'oneStage') || hasFault(bounds, 'oneStageDeletes');
  const nonces = withNonce(turn);
  const stands = refs !== null || wal !== null;
  if (isWhole(bucket)) {
    if (stands && hasFault(bounds, 'movesFirst')) return moved(turn, machine.process.nonce);
    return written(turn, { stage: isOneStage ? 'fetching' : 'aside', nonces });
  }
  if (bucket?.stage === 'aside') {
    // The last nonce of the list names the folder, also for a later start that goes on.
    if (stands) return moved(turn, bucket.nonces.at(-1) ?? '');
    return written(turn, { stage: 'fetching', nonces });
  }
  if (stands) return isOneStage ? movedLater(turn) : deleted(turn);
  if (bucket?.nonces === nonces) return null;
  return written(turn, { stage: 'fetching', nonces });
}

/** One of two moves. */
function moved(turn: Turn<unknown>, folder: string): DirectoryStep {
  const { state, name, machine, bounds } = turn;
  const { refs, wal } = machine.directory;
  const key = `${name}/${folder}`;
  const { [key]: there = { refs: null, wal: null } } = state.quarantine;
  const one = refs === null ? { wal } : { refs };
  const what = bounds.isCoarse === true ? { refs, wal } : one;
  const gone = Object.fromEntries(Object.keys(what).map((file) => [file, null]));
  const quarantine = { ...state.quarantine, [key]: { ...there, ...what } };
  return [
    `${name} moves ${String(Object.keys(what))}`,
    { ...withDirectory(turn, gone), quarantine },
  ];
}

/** Only a process that wrote `fetching` itself knows that nothing is fetched yet. */
function movedLater(turn: Turn<Claimant | Owner>): DirectoryStep {
  const { machine, bounds } = turn;
  const { nonce } = machine.process;
  const isOurs = machine.directory.bucket?.nonces.includes(nonce) === true;
  if (hasFault(bounds, 'oneStageDeletes') && !isOurs) return deleted(turn);
  return moved(turn, nonce);
}

const deleted = (turn: Turn<unknown>): DirectoryStep => [
  `${turn.name} deletes what stands in place`,
  withDirectory(turn, { refs: null, wal: null }),
];

/** C4. */
function claimSteps(turn: Turn<Claimant>): DirectoryStep[] {
  const { state, name, machine, bounds } = turn;
  const { nonce, number } = machine.process;
  const first: Entry = { nonce, epoch: 0, edits: machine.directory.refs ?? [] };
  const before = state.spine[number - 2] ?? first;
  const entry = { ...before, nonce, epoch: before.epoch + 1 };
  const steps: DirectoryStep[] = [];
  if (state.left.unknowns > 0) {
    steps.push([`${name} claims as ${nonce} and dies`, dies(turn, { number, entry })]);
  }
  if (number === state.spine.length + 1) {
    const claimed = { ...state, spine: [...state.spine, entry] };
    return [...steps, [`${name} owns as ${nonce}`, owned({ ...turn, state: claimed })]];
  }
  const label = `${name}'s claim is taken`;
  const names = state.names + 1;
  const fresh = { ...turn, state: { ...state, names } };
  if (hasFault(bounds, 'freshNonce')) {
    return [...steps, compared(fresh, `${name}${names}`, label)];
  }
  if (!hasFault(bounds, 'verdictOnce')) return [...steps, compared(turn, nonce, label)];
  const [, again] = compared(turn, nonce, label);
  const process = { ...machine.process, number: state.spine.length + 1 };
  return [...steps, [label, withMachine(turn, { process }, again)]];
}

function owned(turn: Turn<Claimant>): DirectoryState {
  const { state, machine, bounds } = turn;
  const { nonce, number, continues } = machine.process;
  const { epoch } = newestOf(state);
  const process: Owner = {
    ...{ kind: 'owner', nonce, epoch, next: 1, entry: number, claim: number, isReady: false },
    shipped: bucketLog(state, epoch - 1).records.length,
  };
  const owner = { ...turn, machine: { ...machine, process } };
  if (continues) return ready(owner);
  const { bucket } = machine.directory;
  if (!hasFault(bounds, 'wholeEarly')) return withMachine(owner, { process }, state);
  const early: BucketFile = { stage: 'whole', nonces: bucket?.nonces ?? [] };
  return withDirectory(owner, { bucket: early });
}

/** The engine opens for writing. */
function ready(turn: Turn<Owner>): DirectoryState {
  const { state, machine, bounds } = turn;
  const { directory } = machine;
  const process = { ...machine.process, isReady: true };
  const bucket: BucketFile = { stage: 'whole', nonces: [process.nonce] };
  const wal = bounds.hasMarks === true ? withMark(turn) : directory.wal;
  return withMachine(turn, { process, directory: { ...directory, bucket, wal } }, state);
}

function withMark({ machine, bounds }: Turn<Owner>): LocalLog {
  const { wal } = machine.directory;
  const { nonce, shipped } = machine.process;
  const { from, records } = wal ?? { from: 0, records: [] };
  const isMark = records.at(-1)?.startsWith('mark') === true;
  const isShipped = from + records.length <= shipped;
  const isReused = hasFault(bounds, 'reuseUnshipped') && !isShipped;
  if (isMark && (isReused || hasFault(bounds, 'reuse'))) {
    return { from, records: records.slice(0, -1) };
  }
  return { from, records: [...records, `mark ${nonce}`] };
}

/** An owner sets aside, if the rule is wrong, and fetches. */
export function fetchSteps(turn: Turn<Owner>): DirectoryStep[] {
  const { state, name, machine, bounds } = turn;
  const { directory, process } = machine;
  const { refs, wal, bucket } = directory;
  const isEarly = hasFault(bounds, 'wholeEarly');
  if (bucket?.stage !== 'fetching' && !isEarly) {
    const step = setAsideStep(turn);
    if (step !== null) return [step];
  }
  const { edits, epoch } = state.spine[process.claim - 1] as Entry;
  const floor = flushedOf(edits).length;
  const there = bucketLog(state, epoch - 1).records.slice(floor);
  const fetched = { from: floor, records: there };
  if (refs === null && bounds.isCoarse === true) {
    const all = { ...directory, refs: edits, wal: fetched };
    const whole = ready({ ...turn, machine: { ...machine, directory: all } });
    return [[`${name} fetches and writes BUCKET, whole`, whole]];
  }
  if (refs === null) {
    return [[`${name} fetches REFS`, withDirectory(turn, { refs: edits })]];
  }
  if (wal === null) {
    return [[`${name} fetches the log`, withDirectory(turn, { wal: fetched })]];
  }
  return [[`${name} writes BUCKET, whole`, ready(turn)]];
}
