import { describe, expect, it } from 'vitest';
import { dataOf } from '../../../../kit/bytes/data-url.ts';
import { parseGoUrl, urlProblem } from './urls.ts';

describe('parseGoUrl', () => {
  it.each([
    ['http://host:80/a%20b?c=d#e', { scheme: 'http', host: 'host:80', path: '/a b', query: 'c=d' }],
    ['HTTPS://user:pw@[::1]:443/', { scheme: 'https', host: '[::1]:443', path: '/' }],
    ['data:,x', { scheme: 'data', opaque: ',x' }],
    ['arn:aws:s3:::bucket/key', { scheme: 'arn', opaque: 'aws:s3:::bucket/key' }],
    ['s3://bucket/key?versionId=1', { scheme: 's3', host: 'bucket', path: '/key' }],
    ['', { scheme: '' }],
    ['a/b:c', { scheme: '', path: 'a/b:c' }],
  ])('reads %s', (text, expected) => {
    expect(parseGoUrl(text)).toMatchObject(expected);
  });

  it.each([
    ':a',
    'a b:c',
    'http://a b/',
    'http://h:x/',
    'http://h/%zz',
    'http://[::1',
    'http://h\u0001/',
    '1a:b',
  ])('refuses %j as Go does', (text) => {
    expect(parseGoUrl(text)).toBeUndefined();
  });
});

describe('dataOf', () => {
  it.each([
    ['data:,', ''],
    ['data:,a%20b%0A', 'a b\n'],
    ['data:;base64,aGk=', 'hi'],
    ['data:text/plain;charset=utf-8;base64,aGk=', 'hi'],
    ['data:text/plain;charset="a,b",x', 'x'],
    ['data:text/,x', 'x'],
    ['data:application/x-y,%ff', undefined],
  ])('reads %s', (url, text) => {
    const bytes = dataOf(url);
    if (text === undefined) expect(bytes).toEqual(Buffer.from([0xff]));
    else expect(bytes?.toString()).toBe(text);
  });

  it.each([
    'data:',
    'data:x',
    'data:;base64,a',
    'data:;base64,aGk',
    'data:, ',
    'data:,%z1',
    'data:foo/bar,x',
    'DATA:,x',
  ])('refuses %j', (url) => {
    expect(dataOf(url)).toBeUndefined();
  });
});

it('knows the sources of a spec', () => {
  const old = { plain: ['http', 'https', 'tftp', 's3'], arn: false };
  const young = { plain: ['http', 'https', 'tftp', 's3', 'gs'], arn: true };
  expect(urlProblem('gs://b/k', old)).toMatch(/scheme that this spec does not support/);
  expect(urlProblem('gs://b/k', young)).toBeUndefined();
  expect(urlProblem('s3://b/k?versionId=', young)).toMatch(/versionId/);
  expect(urlProblem('arn:aws:s3:::b/k', young)).toBeUndefined();
  expect(urlProblem('arn:aws:s3:::b', young)).toMatch(/ARN/);
  expect(urlProblem('arn:aws:sqs:::b/k', young)).toMatch(/ARN/);
  expect(urlProblem('/a', young)).toMatch(/no scheme/);
});
