// Slips of the pen, whose correction changes nothing.
import { MEANING_WORDS } from './kinds.ts';

/** Common ones. None of them is a word. */
const SLIPS: ReadonlyMap<string, string> = new Map(
  `accout:account adress:address adresses:addresses appropiate:appropriate attachement:attachment attachements:attachments
  authetication:authentication availabe:available availble:available availible:available avaliable:available becuase:because
  begining:beginning catagories:categories catagory:category charachter:character charachters:characters charater:character
  charaters:characters coffe:coffee comand:command commited:committed commiting:committing completly:completely conection:connection
  coordiantes:coordinates corect:correct correponding:corresponding curent:current curently:currently currenlty:currently
  currnet:current databse:database decription:description defualt:default delte:delete deltes:deletes desciption:description
  descripion:description descripton:description destiantion:destination detials:details differnt:different diffrent:different
  direcotry:directory docuemnt:document docuemnts:documents documnet:document duraton:duration emtpy:empty enviornment:environment
  enviroment:environment environement:environment excecute:execute excecutes:executes existance:existence extention:extension
  feild:field feilds:fields follwing:following folowing:following fomat:format foramt:format formated:formatted formating:formatting
  fucntion:function functon:function funtion:function guarentee:guarantee heigth:height hieght:height identifer:identifier
  identifers:identifiers idenitfier:identifier immediatly:immediately imporant:important inculde:include inculded:included
  inculdes:includes indentifier:identifier infomation:information inital:initial initally:initially inlcude:include
  inlcuded:included inlcudes:includes interger:integer intial:initial intially:initially invlaid:invalid itmes:items
  langage:language langauge:language langauges:languages lanugage:language lenght:length libary:library maximun:maximum
  mesage:message mesages:messages messege:message miliseconds:ms millisecods:ms minimun:minimum mintues:minutes
  modifed:modified mulitple:multiple multple:multiple mutliple:multiple necesary:necessary neccessary:necessary nubmer:number
  nubmers:numbers occurance:occurrence occured:occurred occurence:occurrence occurences:occurrences occuring:occurring optinal:optional
  orginal:original orignal:original otehr:other ouput:output overide:override overriden:overridden paramater:parameter
  paramaters:parameters paramter:parameter paramters:parameters parmeter:parameter parmeters:parameters passowrd:password
  pasword:password perfrom:perform permision:permission permisions:permissions permisson:permission posible:possible positon:position
  postion:position preceeding:preceding prefered:preferred proccess:process projcet:project provded:provided qeury:query
  querry:query receieve:receive receieved:received receieves:receives recieve:receive recieved:received recieves:receives
  recieving:receiving recive:receive recived:received recives:receives recomended:recommended refered:referred refernce:reference
  remvoe:remove remvoed:removed remvoes:removes reponse:response reponses:responses repositroy:repository repositry:repository
  repostiory:repository repsonse:response reqiured:required requried:required reslut:result resluts:results resouce:resource
  resouces:resources respone:response resutl:result resutls:results retreive:retrieve retreived:retrieved retreives:retrieves
  retrive:retrieve retrived:retrieved retrives:retrieves retrun:return retruns:returns retunrs:returns retuns:returns reuqest:request
  reuslt:result reuslts:results seach:search seaches:searches selcted:selected sepcified:specified sepcify:specify seperate:separate
  seperated:separated seperator:separator serach:search seraches:searches serivce:service shoud:should similiar:similar soruce:source
  speficied:specified speficy:specify specifc:specific specifed:specified specifiy:specify statment:statement statments:statements
  staus:status stirng:string subscripton:subscription succes:success succesful:successful succesfully:successfully sucess:success
  sucessful:successful sucessfully:successfully suport:support suported:supported supproted:supported sytem:system taht:that
  tempalte:template temperture:temperature temprature:temperature thier:their threshhold:threshold tiemout:timeout timout:timeout
  timestmap:timestamp transfered:transferred udpate:update udpated:updated udpates:updates upadte:update upadted:updated
  upadtes:updates usefull:useful valeu:value vaule:value vaules:values verison:version visiblity:visibility vlaue:value vlaues:values
  weigth:weight wether:whether wheter:whether wich:which widht:width wiht:with wirte:write witdh:width writen:written writting:writing`
    .split(/\s+/)
    .map((entry) => entry.split(':') as [string, string]),
);

/** A word without a slip. No word has three equal letters in a row, but some names have: "www", "III". */
export const withoutSlip = (word: string): string =>
  SLIPS.get(word) ?? (word.length > 5 ? word.replace(/([a-z])\1\1/, '$1$1') : word);

/** Words that differ from others as a slip does. */
const ALSO_WORDS =
  /^(?:broad|casual|causal|contact|contract|county|deleted|depleted|diary|field|filed|placed|planed|posted|relay|replay|sacred|scared|stated|tread|trail|trial|united|untied)$/;

/** Whether one letter is missing or too much inside a word, or two letters are swapped. */
const isSlipOf = (written: string, word: string): boolean => {
  const [long, short] = written.length > word.length ? [written, word] : [word, written];
  if (long.length - short.length > 1 || long[0] !== short[0] || long.at(-1) !== short.at(-1)) return false;
  let at = 1;
  while (at < short.length && long[at] === short[at]) at++;
  if (long.length > short.length) return long.slice(at + 1) === short.slice(at);
  const isSwapped = long[at] === short[at + 1] && long[at + 1] === short[at];
  return isSwapped && long.slice(at + 2) === short.slice(at + 2);
};

const WORD = /(?<![\w'"`$./-])[A-Za-z][a-z]{3,29}(?![\w'"`/$-]|\.\w)/g;

/**
 * A text without slips that another one corrects, in words of the names: "Staus" of a `status`.
 * @param named words of the names, in lower case
 */
export const withoutSlipsInNames = (text: string, corrected: string, named: readonly string[]): string => {
  if (!named.some((word) => word.length > 4)) return text;
  const there = new Set(corrected.toLowerCase().match(/[a-z]+/g));
  const words = named.filter((word) => word.length > 4 && there.has(word));
  if (words.length === 0) return text;
  return text.replace(WORD, (written) => {
    const one = written.toLowerCase();
    if (words.includes(one) || ALSO_WORDS.test(one) || MEANING_WORDS.has(one)) return written;
    const word = words.find((name) => isSlipOf(one, name));
    return word === undefined || there.has(one) ? written : written[0] + word.slice(1);
  });
};
