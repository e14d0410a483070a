/** A file: its detected format, its options, and its load. */

import { useEffect, useState } from 'preact/hooks';

import { beginningSize } from '../../common/tables/csv-text.js';
import { announce } from '../announce.js';
import { sentenceOf } from '../data/fault.js';
import { printValue } from '../units.js';
import { clock } from '../view.js';
import { FaultNotice } from '../widgets/fault-notice.js';
import { AccountView } from './account-view.js';
import { readBeginning, type FileBeginning } from './file-bytes.js';
import { ColumnTable, TableFields } from './load-fields.js';
import { load, loading } from './loading.js';
import { previewOf, type LoadPreview } from './plan.js';
import { Complaints, RowTable } from './preview-view.js';
import { noFields, type LoadFields } from './wishes.js';

/** The pause in typing before the preview is updated. */
const kTypingMs = 200;

export function LoadView({ file }: { readonly file: File }) {
  const [beginning, setBeginning] = useState<FileBeginning | null>(null);
  const [fault, setFault] = useState('');
  useEffect(() => {
    let isWanted = true;
    readBeginning(file, beginningSize).then(
      (read) => {
        if (isWanted) setBeginning(read);
      },
      (error: unknown) => {
        if (isWanted) setFault(`Cannot read ${file.name}. ${sentenceOf(error)}`);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [file]);
  return (
    <>
      <h2 class="load-name">
        {file.name} <span class="quiet">{printValue(file.size, 'bytes')}</span>
      </h2>
      <FaultNotice text={fault} />
      {beginning === null ? null : <Looked {...{ file, beginning }} />}
    </>
  );
}

interface LookedOptions {
  readonly file: File;
  readonly beginning: FileBeginning;
}

function Looked({ file, beginning }: LookedOptions) {
  const [fields, setFields] = useState<LoadFields>(noFields);
  const preview = usePreview({ file, beginning }, fields);
  const now = loading.value;
  const isRunning = now?.state === 'running';
  const change = (changes: Partial<LoadFields>): void => {
    setFields((before) => ({ ...before, ...changes }));
    if (!isRunning) loading.value = null;
  };
  if (preview === null) return null;
  const { plan, columns, rows, complaints, complaintCount } = preview;
  return (
    <>
      {columns.length === 0 ? null : (
        <>
          <TableFields {...{ fields, change }} stem={preview.stem} />
          <div class="load-scroll" tabIndex={0} role="region" aria-label="Columns">
            <ColumnTable
              {...{ columns, roles: fields.roles }}
              change={(roles) => {
                change({ roles });
              }}
            />
          </div>
        </>
      )}
      <FaultNotice text={preview.fault} />
      <RowTable rows={rows} />
      <Complaints {...{ complaints, count: complaintCount }} of="the beginning of the file" />
      {plan === null ? null : (
        <button
          type="button"
          class="button main load-button"
          disabled={isRunning}
          onClick={() => {
            void load(file, plan);
          }}
        >
          Load {file.name}
        </button>
      )}
      {now === null ? null : <AccountView loading={now} />}
    </>
  );
}

function usePreview({ file, beginning }: LookedOptions, fields: LoadFields): LoadPreview | null {
  const [preview, setPreview] = useState<LoadPreview | null>(null);
  const { unit } = clock.value;
  useEffect(() => {
    const look = (): void => {
      const found = previewOf({ name: file.name, beginning, unit }, fields);
      setPreview(found);
      if (preview === null) announce(found.fault === '' ? 'The file can be loaded.' : found.fault);
    };
    const timer = setTimeout(look, preview === null ? 0 : kTypingMs);
    return () => {
      clearTimeout(timer);
    };
  }, [file, beginning, unit, fields]);
  return preview;
}
